import { AppError } from "../base/errors.ts";

const MAX_PATH_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Checks a path of an agent's memory: relative, `/` between segments, no `.`/`..`/empty segment, no
 * backslash, drive letter or control character, at most 1,024 bytes. Nothing is cleaned up
 * silently: two spellings of one file would be two files. Returns the path in Unicode normal form
 * C, so that a name typed on macOS is the name stored from Linux.
 *
 * @throws AppError `invalid_path`; the sentence never says whether the file exists.
 */
export function checkMemoryPath(path: string): string {
  const normal = path.normalize("NFC");
  const problem = pathProblem(normal);
  if (problem)
    throw new AppError("invalid_path", `The path ${problem}. Use a relative path such as notes/2026-05-18.md.`);
  return normal;
}

/**
 * Checks a path to read: a path of the agent's memory, or an absolute path inside the folders that
 * the agent's settings name. Returns it in Unicode normal form C.
 *
 * @param folders the `extraPaths` of the agent
 * @throws AppError `invalid_path`; the sentence is the same whether or not the file exists.
 */
export function checkReadablePath(path: string, folders: readonly string[]): string {
  const normal = path.normalize("NFC");
  const isInside = folders.some((folder) => {
    const top = folder.normalize("NFC");
    return normal === top || normal.startsWith(`${top}/`);
  });
  return isInside && absolutePathProblem(normal) === undefined ? normal : checkMemoryPath(path);
}

/**
 * Returns why a text is not an absolute path in the required spelling; undefined when it is one.
 */
export function absolutePathProblem(path: string): string | undefined {
  return path.startsWith("/") ? pathProblem(path.slice(1)) : "is not absolute";
}

function pathProblem(path: string): string | undefined {
  if (path === "") return "is empty";
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  if (CONTROL.test(path)) return "contains a control character";
  if (path.includes("\\")) return "contains a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is absolute";
  for (const segment of path.split("/")) {
    if (segment === "" || segment === "." || segment === "..") return "contains an empty, '.' or '..' segment";
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `has a segment longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return undefined;
}

const FACT_PATH = /^facts\/([1-9]\d{0,17})$/;

/** Returns the fact that a path names (`facts/12`); undefined for a path that no fact can have. */
export function factOfPath(path: string): string | undefined {
  return FACT_PATH.exec(path)?.[1];
}

/** The most spellings that the braces of a glob stand for. Each spelling is matched by itself. */
const MAX_SPELLINGS = 64;

export const GLOB_RULE = `must be a relative glob such as **/*.md, with at most three '*' per segment and three '{' in all; braces hold no ranges and expand to at most ${MAX_SPELLINGS} patterns`;

/**
 * Returns whether a text is a glob of bounded cost: `*a*a*a*a*a*a*b` against one name of 60 letters
 * took three seconds, three braces of thirty names each took six seconds a file, and `{1..300000}`
 * did not end.
 */
export function isGlob(pattern: string): boolean {
  if (/[()\\]/.test(pattern) || pattern.includes("\0") || pattern.startsWith("/")) return false;
  const [, ...braces] = pattern.split("{");
  if (braces.length > 3 || (braces.length > 0 && pattern.includes(".."))) return false;
  // With braces inside braces this product is more than the number of spellings, never less.
  if (braces.reduce((product, part) => product * part.split(",").length, 1) > MAX_SPELLINGS) return false;
  return pattern.split("/").every((segment) => segment !== ".." && segment.split(/\*+/).length <= 4);
}

const FOLDER = "sessions/";
/**
 * The prefix of an encoded name, for a name that is not a path itself. A name that begins with this
 * prefix is encoded too, so no two names have the same path.
 */
const ENCODED = "%:";

const MAX_SESSION_KEY_CHARS = 200;

/**
 * Returns the name of a session within its agent. The text is either this name or the whole key
 * `agent:{agentId}:{name}`. A key with another agent's id is, unchanged, a name of this agent: a
 * host may call its agent `main` and keep the memory under `support`. A name is any printable text
 * of up to 200 characters, in Unicode normal form C. Routing makes names of the form
 * `{channel}:{context}`; such a name may be longer if it is a path, as all names once had to be.
 *
 * @throws AppError `invalid_session_key`
 */
export function parseSessionKey(agentId: string, text: string): string {
  const own = `agent:${agentId}:`;
  return requireSessionName(text.startsWith(own) ? text.slice(own.length) : text);
}

/**
 * Returns the name of a session in its normal form.
 *
 * @throws AppError `invalid_session_key`
 */
export function requireSessionName(text: string): string {
  const name = text.normalize("NFC");
  const problem = nameProblem(name);
  if (problem) throw invalid(problem);
  return name;
}

function nameProblem(name: string): string | undefined {
  if (name.trim() === "") return "is empty";
  if (name === "." || name === "..") return "cannot be used in a URL";
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return "has a line break, a control character or half a surrogate pair";
  // A code point has at most two UTF-16 units.
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
    `The session key ${problem}. Use up to ${MAX_SESSION_KEY_CHARS} printable characters, such as session_1, slack:C042 or agent:main:slack:C042.`,
  );
}

/** Returns the whole key of a session (contract: `agent:{agentId}:{channel}:{context}`). */
export function wholeSessionKey(agentId: string, name: string): string {
  return `agent:${agentId}:${name}`;
}

/** Returns the path of a session: its name, percent-encoded if the name is not a path. */
export function sessionPath(name: string): string {
  if (isPath(name) && !name.startsWith(ENCODED)) return FOLDER + name;
  return FOLDER + ENCODED + name.replace(/[%/\\]/g, encodeURIComponent);
}

function isPath(name: string): boolean {
  return !name.includes("\\") && name.split("/").every((segment) => !["", ".", ".."].includes(segment));
}

/**
 * Returns the session that a path in normal form C names; undefined for a path that no session can
 * have.
 */
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
 * Returns whether a path is reserved for sessions: the path of a channel's session, or a
 * percent-encoded path. Any other path below `sessions/` may be a file or a session, whichever is
 * created first.
 */
export function isReservedPath(path: string): boolean {
  return /^sessions\/[^:]+:./su.test(path);
}
