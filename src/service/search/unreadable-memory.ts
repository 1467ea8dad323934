import { AppError, type ErrorCode } from "../../base/errors.ts";

/**
 * Errors of a single memory, or of the cluster's server that holds it. The reader's own memory may
 * still be readable.
 */
const OF_ONE_MEMORY: readonly ErrorCode[] = ["agent_migration_failed", "schema_too_new", "database_unavailable"];

/**
 * Returns the warning about a shared memory that cannot be read now; undefined if the memory is
 * gone.
 *
 * @throws every other error
 */
export function unreadableMemory(error: unknown, agentId: string): string | undefined {
  if (!(error instanceof AppError)) throw error;
  if (error.code === "agent_not_found") return undefined;
  if (!OF_ONE_MEMORY.includes(error.code)) throw error;
  return `The shared memory @${agentId} was not searched. ${error.message}`;
}
