import { CommanderError } from "commander";
import { AppError, type ErrorCode, titleOf } from "../../base/errors.ts";
import { RecollectError } from "../../client/client.ts";

/** What went wrong, in the form that the API has for it too (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  /** The server's status, when it was a server that said so. */
  status?: number;
  detail: string;
  code: ErrorCode;
  requestId?: string;
  details?: Readonly<Record<string, unknown>>;
}

/** What helps when something is not there: the server's sentence names no command, as others than commands ask it too. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  agent_not_found: "Make it with recollect agents create <id>, or see recollect agents list.",
  tenant_not_found: "See recollect tenants list.",
  key_not_found: "See recollect keys list.",
  job_not_found: "See recollect jobs list.",
  session_not_found: "See recollect sessions list.",
};

/** Any error as a problem; wrong usage of the command is `invalid_request`. */
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

/** The code of an error of the server or of a command; undefined for one that nobody foresaw. */
export function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof RecollectError || error instanceof AppError ? (error.code as ErrorCode) : undefined;
}

/** An error in one sentence with its code. */
export function sentenceOf(error: unknown): string {
  const { detail, code, requestId } = problemOf(error);
  // Only one that is a fault of the server's is looked up in its log.
  const where = code === "internal" && requestId !== undefined ? `, request ${requestId}` : "";
  return `${detail} (${code}${where})`;
}

function problem(code: ErrorCode, detail: string): Problem {
  return { type: `urn:recollect:error:${code}`, title: titleOf(code), detail, code };
}

function usageText({ code, message }: CommanderError): string {
  if (code === "commander.help") return "A command is missing; see: recollect --help";
  const text = message.replace(/^error: /, "").replaceAll("\n", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What passes by itself: a server that is away, in trouble, or asks for patience; and a request that the user ended. */
export function outageReason(error: unknown): string | undefined {
  if (error instanceof DOMException && error.name === "AbortError") return "The command ends.";
  if (!(error instanceof RecollectError)) return undefined;
  const { code, status = 0 } = error;
  // A write that a gateway gave up on may still be under way.
  const passes = ["service_unreachable", "idempotency_key_in_use"].includes(code);
  return passes || status === 429 || status >= 500 ? sentenceOf(error) : undefined;
}
