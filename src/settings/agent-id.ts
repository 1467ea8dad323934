import { AppError } from "../base/errors.ts";

/** The agent that exists without being created. */
export const DEFAULT_AGENT_ID = "main";

/**
 * Lower-case letters, digits, `-` and `_`, beginning with a letter or digit, at most 63 characters.
 */
export const AGENT_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** @throws AppError `invalid_agent_id` */
export function checkAgentId(agentId: string): string {
  if (!AGENT_ID.test(agentId)) {
    throw new AppError(
      "invalid_agent_id",
      "An agent id has 1 to 63 lower-case letters, digits, '-' or '_', and begins with a letter or a digit.",
    );
  }
  return agentId;
}
