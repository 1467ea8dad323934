import { AppError } from "../base/errors.ts";
import { checkMemoryPath } from "./memory-path.ts";

const FOLDER = "sessions/";
/**
 * The prefix of an encoded name that is no path itself. A name with this prefix is encoded too, so no two names have the
 * same path.
 */
const ENCODED = "%:";

const MAX_SESSION_KEY_CHARS = 200;

/**
 * The name of a session within its agent, from that or from the whole key `agent:{agentId}:{name}`; what begins with
 * `agent:{id}:` is always a whole key. Any printable text of up to 200 characters, in Unicode normal form C. `{channel}:{context}`
 * is what routing makes; one that is a path, as all names once had to be, may be longer.
 *
 * @throws AppError `invalid_session_key`
 */
export function parseSessionKey(agentId: string, text: string): string {
  const whole = /^agent:([^:]*):(.*)$/su.exec(text);
  if (whole && whole[1] !== agentId) throw invalid("is not one of this agent's");
  const name = (whole?.[2] ?? text).normalize("NFC");
  const problem = nameProblem(name);
  if (problem) throw invalid(problem);
  return name;
}

function nameProblem(name: string): string | undefined {
  if (name.trim() === "") return "is empty";
  if (name === "." || name === "..") return "cannot stand in a URL";
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return "has a line end, a control character or half a character";
  // No code point has more than two units.
  const isLong = name.length > 2 * MAX_SESSION_KEY_CHARS || [...name].length > MAX_SESSION_KEY_CHARS;
  return isLong && !isChannelPath(name) ? `is longer than ${MAX_SESSION_KEY_CHARS} characters` : undefined;
}

function isChannelPath(name: string): boolean {
  if (!isReservedPath(FOLDER + name)) return false;
  try {
    return checkMemoryPath(FOLDER + name) !== "";
  } catch {
    return false;
  }
}

function invalid(problem: string): AppError {
  return new AppError(
    "invalid_session_key",
    `The session key ${problem}. Use up to ${MAX_SESSION_KEY_CHARS} printable characters, such as session_1 or slack:C042, or agent:main:slack:C042 with the agent's own id.`,
  );
}

/** The whole key of a session (contract: `agent:{agentId}:{channel}:{context}`). */
export function wholeSessionKey(agentId: string, name: string): string {
  return `agent:${agentId}:${name}`;
}

/** The path of a session: its name, percent-encoded where that is no path. */
export function sessionPath(name: string): string {
  if (isPath(name) && !name.startsWith(ENCODED)) return FOLDER + name;
  return FOLDER + ENCODED + name.replace(/[%/\\]/g, encodeURIComponent);
}

function isPath(name: string): boolean {
  return !name.includes("\\") && name.split("/").every((segment) => !["", ".", ".."].includes(segment));
}

/** The session that a path in normal form C names; undefined for a path that no session can have. */
export function sessionOfPath(path: string): string | undefined {
  if (!path.startsWith(FOLDER)) return undefined;
  const rest = path.slice(FOLDER.length);
  const name = rest.startsWith(ENCODED) ? decoded(rest.slice(ENCODED.length)) : rest;
  return nameProblem(name) === undefined && sessionPath(name) === path ? name : undefined;
}

function decoded(text: string): string {
  return text.replace(/%(25|2F|5C)/g, decodeURIComponent);
}

/**
 * Whether a path is reserved for sessions: of a channel, or percent-encoded. Any other path below `sessions/` may be a file
 * or a session, whichever comes first.
 */
export function isReservedPath(path: string): boolean {
  return /^sessions\/[^:]+:./su.test(path);
}
