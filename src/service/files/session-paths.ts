import { AppError } from "../../base/errors.ts";
import { holdPaths, someFileAt, someSessionOf } from "../../db/agent/files/session-paths.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { isReservedPath, sessionOfPath, sessionPath } from "../../settings/memory-path.ts";

/**
 * Refuses files at the paths of sessions, within the transaction that creates the files. The path
 * in a search hit must identify either a file or a session.
 *
 * @throws AppError `invalid_path`
 */
export async function requireNoSession(tx: AgentReads, paths: readonly string[]): Promise<void> {
  const shared = paths.filter((path) => sessionOfPath(path) !== undefined);
  if (shared.length === 0) return;
  await holdPaths(tx, tx.schema, shared);
  const keys = shared.flatMap((path) => sessionOfPath(path) ?? []);
  if (await someSessionOf(tx, tx.schema, keys))
    throw new AppError("invalid_path", "A session uses this path. Choose another path.");
}

/**
 * Refuses sessions at the paths of files, within the transaction that creates the sessions.
 *
 * @throws AppError `invalid_session_key`
 */
export async function requireNoFile(tx: AgentReads, names: readonly string[]): Promise<void> {
  const shared = names.map(sessionPath).filter((path) => !isReservedPath(path));
  if (shared.length === 0) return;
  await holdPaths(tx, tx.schema, shared);
  if (await someFileAt(tx, tx.schema, shared))
    throw new AppError("invalid_session_key", "A file uses the path of this session. Choose another key.");
}
