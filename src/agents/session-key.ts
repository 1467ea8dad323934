import { AppError } from "../base/errors.ts";
import { checkMemoryPath } from "./memory-path.ts";

const FOLDER = "sessions/";

/**
 * The name of a session within its agent, `{channel}:{context}`, from that or from the whole key
 * `agent:{agentId}:{channel}:{context}`; what begins with `agent:` is always a whole key. In Unicode normal form C, and such
 * that `sessions/{name}` is a path.
 *
 * @throws AppError `invalid_session_key`
 */
export function parseSessionKey(agentId: string, text: string): string {
  const whole = /^agent:([^:]*):(.*)$/su.exec(text);
  if (whole && whole[1] !== agentId) throw invalid("is not one of this agent's");
  const name = (whole?.[2] ?? text).normalize("NFC");
  if (!/^[^:]+:./su.test(name)) throw invalid("has not the form {channel}:{context}");
  try {
    return checkMemoryPath(sessionPath(name)).slice(FOLDER.length);
  } catch {
    throw invalid(
      "is longer than 255 bytes between slashes, or has a control character, a backslash or an empty segment",
    );
  }
}

function invalid(problem: string): AppError {
  return new AppError(
    "invalid_session_key",
    `The session key ${problem}. Use one such as slack:C042, or agent:main:slack:C042 with the agent's own id.`,
  );
}

/** The whole key of a session (contract: `agent:{agentId}:{channel}:{context}`). */
export function wholeSessionKey(agentId: string, name: string): string {
  return `agent:${agentId}:${name}`;
}

/** Where a session stands among an agent's paths. */
export function sessionPath(name: string): string {
  return FOLDER + name;
}

/** The session that a path names; undefined for a path that no session can have. */
export function sessionOfPath(path: string): string | undefined {
  return /^sessions\/[^:]+:./su.test(path) ? path.slice(FOLDER.length) : undefined;
}
