import { CommanderError } from "commander";
import { AppError, type ErrorCode, titleOf } from "../../base/errors.ts";
import { RecollectError } from "../../client/client.ts";

/** An error in the form that the API uses too (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  /** The HTTP status, if a server reported the error. */
  status?: number;
  detail: string;
  code: ErrorCode;
  requestId?: string;
  details?: Readonly<Record<string, unknown>>;
}

/**
 * Commands that help when something does not exist. The server's sentences name no commands,
 * because other clients read them too.
 */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: "A command sends the key in RECOLLECT_API_KEY, or that of its profile (recollect profile).",
  agent_not_found: "See recollect agents list and recollect keys list, or make it with recollect agents create <id>.",
  tenant_not_found: "See recollect tenants list.",
  key_not_found: "See recollect keys list. For a key of another tenant add --tenant <name> (operators only).",
  job_not_found: "See recollect jobs list.",
  session_not_found: "See recollect sessions list.",
  database_unavailable: "See recollect doctor.",
};

/** Converts any error into a problem. Wrong usage of the command is `invalid_request`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof CommanderError) return problem("invalid_request", usageText(error));
  const code = codeOf(error);
  if (code === undefined)
    return problem("internal", `Something went wrong: ${error instanceof Error ? error.message : String(error)}`);
  const { message, status, requestId, details } = error as RecollectError;
  return {
    ...problem(code, [message, REMEDIES[code] ?? []].flat().join(" ")),
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(details === undefined ? {} : { details }),
  };
}

/**
 * Returns the code of an error of the server or of a command; undefined for an unforeseen error.
 */
export function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof RecollectError || error instanceof AppError ? (error.code as ErrorCode) : undefined;
}

/** Returns an error as one sentence with its code. */
export function sentenceOf(error: unknown): string {
  const { detail, code, requestId } = problemOf(error);
  // The request id is shown only for a fault of the server, which is looked up in the server's log.
  const where = code === "internal" && requestId !== undefined ? `, request ${requestId}` : "";
  return `${detail} (${code}${where})`;
}

function problem(code: ErrorCode, detail: string): Problem {
  return { type: `urn:recollect:error:${code}`, title: titleOf(code), detail, code };
}

function usageText({ code, message }: CommanderError): string {
  if (code === "commander.help") return "A command is missing; see: recollect --help";
  const text = message.replaceAll("\n", " ").replace(/ \(invalid_request\)$/, "");
  // Commander begins its own sentences in lower case. Other sentences may begin with a name.
  const own = /^error: (.)/s.exec(text)?.[1];
  return own === undefined ? text : own.toUpperCase() + text.slice("error: ".length + own.length);
}

/**
 * Returns a sentence for an error that passes by itself: the server is unreachable, has a fault or
 * asks the client to wait, or the user ended the request. Returns undefined for any other error.
 */
export function outageReason(error: unknown): string | undefined {
  if (error instanceof DOMException && error.name === "AbortError") return "The command ends.";
  if (!(error instanceof RecollectError)) return undefined;
  const { code, status = 0 } = error;
  // A write that a gateway gave up on may still be running under its idempotency key.
  const passes = ["service_unreachable", "idempotency_key_in_use"].includes(code);
  return passes || status === 429 || status >= 500 ? sentenceOf(error) : undefined;
}
