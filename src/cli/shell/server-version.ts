import { RecollectError } from "../../client/client.ts";
import type { CliContext, Connection } from "./context.ts";

const HEADER = "recollect-version";
const VERSION = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})[\w.+-]{0,40}$/;

/**
 * Codes with which a server answers a request that it does not know in this form: it has no such
 * route, or not such a field.
 */
const UNKNOWN_REQUEST = new Set([
  "not_found",
  "method_not_allowed",
  "invalid_request",
  "invalid_json",
  "unsupported_media_type",
  "internal",
]);

/** Watches whether the server of a command has another version than the command. */
export interface VersionWatch {
  /** The connection, whose answers are looked at. */
  readonly connection: Connection;
  /**
   * Returns the error, with a sentence about the versions if they differ and may be the reason. A
   * server that states no version in its answers is asked for it here, so only failures cost a
   * request.
   */
  explained(error: unknown): Promise<unknown>;
}

/**
 * Starts to watch a connection. If the server is of another release (0.2 instead of 0.1), the
 * command says so at the first answer, because it may misread that answer. A difference of the last
 * number is mentioned only with a failure.
 *
 * @param isSilent whether standard error is kept for one JSON object
 */
export function watchVersion(
  connection: Connection,
  { version, stderr }: Pick<CliContext, "version" | "stderr">,
  isSilent: boolean,
): VersionWatch {
  let seen: string | undefined;
  let isSaid = false;
  const note = (stated: string | null) => {
    if (seen !== undefined || stated === null || !VERSION.test(stated)) return;
    seen = stated;
    if (isSilent || releaseOf(stated) === releaseOf(version)) return;
    const sentence = difference(version, stated);
    if (sentence !== undefined) stderr.write(`warning: ${sentence}\n`);
    isSaid = sentence !== undefined;
  };
  return {
    connection: {
      ...connection,
      fetch: async (path, init) => {
        const response = await connection.fetch(path, init);
        note(response.headers.get(HEADER));
        return response;
      },
    },
    explained: async (error) => {
      if (isSaid || !mayBeMisread(error)) return error;
      const sentence = difference(version, seen ?? (await askVersion(connection)));
      return sentence === undefined ? error : withSentence(error, sentence);
    },
  };
}

function mayBeMisread(error: unknown): error is Error {
  if (error instanceof RecollectError) return UNKNOWN_REQUEST.has(error.code);
  // An answer lacks a field that the command reads.
  return error instanceof TypeError || error instanceof RangeError;
}

/** Asks a server that is too old to state its version in every answer. */
async function askVersion(connection: Connection): Promise<string | undefined> {
  try {
    const { version } = (await (await connection.fetch("/health/live")).json()) as { version?: unknown };
    return typeof version === "string" && VERSION.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a sentence that says which of two versions is older; undefined if they are equal. */
function difference(own: string, server: string | undefined): string | undefined {
  if (server === undefined || server === own) return undefined;
  return isOlder(server, own)
    ? `The server is Recollect ${server}, older than this command (${own}), and may not know what the command asks for; upgrade the server, or use the command of its version.`
    : `This command is Recollect ${own}, older than the server (${server}), and may misread its answers; upgrade the command to the server's version.`;
}

function isOlder(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => (VERSION.exec(text) ?? []).slice(1, 4).map(Number));
  const at = [0, 1, 2].find((index) => left?.[index] !== right?.[index]) ?? 2;
  return (left?.[at] ?? 0) < (right?.[at] ?? 0);
}

function releaseOf(version: string): string {
  return version.split(".", 2).join(".");
}

function withSentence(error: Error, sentence: string): Error {
  const message = `${error.message.replace(/[.\s]*$/, ".")} ${sentence}`;
  if (!(error instanceof RecollectError)) return new Error(message, { cause: error });
  const { code, status, requestId, details } = error;
  return new RecollectError(code, message, { ...(status === undefined ? {} : { status }), requestId, details });
}
