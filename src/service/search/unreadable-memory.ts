import { AppError, type ErrorCode } from "../../base/errors.ts";

/** Faults of one memory, or of the server of a cluster that has it, which leave the reader's own memory readable. */
const OF_ONE_MEMORY: readonly ErrorCode[] = ["agent_migration_failed", "schema_too_new", "database_unavailable"];

/** What a search says of a shared memory that cannot be read now; undefined when it is gone. @throws any other fault */
export function unreadableMemory(error: unknown, agentId: string): string | undefined {
  if (!(error instanceof AppError)) throw error;
  if (error.code === "agent_not_found") return undefined;
  if (!OF_ONE_MEMORY.includes(error.code)) throw error;
  return `The shared memory @${agentId} was not searched. ${error.message}`;
}
