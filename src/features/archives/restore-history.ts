import { createIngestTables, restorePieces } from "../../db/agent/facts/ingests.ts";
import { listSnapshots, MAX_SNAPSHOTS } from "../../db/agent/history/snapshots.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { documentDay } from "../../ingest/document-day.ts";
import { contentHash, toLines } from "../../ingest/normalise.ts";
import { takeQuota } from "../../service/core/quota.ts";
import { checkMemoryPath, isReservedPath } from "../../settings/memory-path.ts";
import { isSharedPlace, SHARED_PLACE_RULE } from "../../settings/shared-paths.ts";
import type { LineOf } from "./archive-format.ts";
import { factRowOf } from "./fact-state.ts";
import { invalid } from "./parse-line.ts";
import type { Restore } from "./restore-vectors.ts";
import { restoreFactChanges, restoreNumbers, restoreSnapshot, restoreVersions } from "./sql/archive-history.ts";

/** The most changes of facts and ingested pieces of an archive together. No quota counts either. */
const MOST_UNCOUNTED = 1_000_000;

/** Stores the change numbers of files that were just stored. */
export async function storeNumbers({ deps, agent }: Restore, files: readonly LineOf<"file">[]): Promise<void> {
  const now = deps.clock();
  const numbered = files.flatMap(({ path, seq, born, writtenAt, writtenBy = null }) => {
    if (seq === undefined && born === undefined && writtenAt === undefined) return [];
    if (seq === undefined || born === undefined || writtenAt === undefined || born > seq)
      throw invalid("has a file that was written before it was created, or that lacks one of these times");
    return [{ path: checkMemoryPath(path), seq, born, writtenAt: past(writtenAt, now), writtenBy }];
  });
  if (numbered.length === 0) return;
  await withAgentTransaction(deps.db, agent, (tx) => restoreNumbers(tx, agent.schema, numbered));
}

/** Stores file versions. They count towards the quota like those of ordinary writes. */
export async function storeVersions({ deps, agent }: Restore, lines: readonly LineOf<"version">[]): Promise<void> {
  const now = deps.clock();
  // Skips versions at a path that is reserved for shared memories. The file may have been moved out
  // of it since, and its old versions must not make the whole archive unusable.
  const kept = lines.filter(({ path }) => !isSharedPlace(path));
  const versions = kept.map(({ type: _, path, content, origin = null, original = null, ...one }) => {
    if (isReservedPath(path)) throw invalid("has a version of a file at the path of a session");
    if (one.born > one.since || one.since >= one.version) throw invalid("has a version that ends before it begins");
    const measured = { hash: contentHash(content), size: Buffer.byteLength(content), lines: toLines(content).length };
    const times = { writtenAt: past(one.writtenAt, now), endedAt: past(one.endedAt, now) };
    const day = documentDay(path, content);
    return { ...one, ...times, path: checkMemoryPath(path), content, origin, original, day, ...measured };
  });
  const historyBytes = versions.reduce((sum, { size }) => sum + size, 0);
  await withAgentTransaction(deps.db, agent, async (tx) => {
    await restoreVersions(tx, agent.schema, versions);
    await takeQuota(await tx.asService(), agent, { files: 0, bytes: 0, chunks: 0, facts: 0, historyBytes });
  });
}

/** Refuses a path that no file may have today. @throws AppError `archive_invalid` */
export function requireFilePath(path: string): void {
  if (isReservedPath(path)) throw invalid("has a file at the path of a session");
  if (isSharedPlace(path))
    throw invalid(
      `has the file ${path}: ${SHARED_PLACE_RULE} Move it in the agent that was exported, and export again`,
    );
}

/**
 * Returns the time, or now if it lies in the future: retention would keep such an entry for ever.
 */
function past(at: Date, now: Date): Date {
  return at > now ? now : at;
}

/** Limits the entries that no quota counts. @throws AppError `archive_invalid` */
export function requireFew(count: number): void {
  if (count > MOST_UNCOUNTED)
    throw invalid(`has more than ${MOST_UNCOUNTED} changes of facts, or pieces of files that a model has read`);
}

export async function storeFactChanges(
  { deps, agent }: Restore,
  lines: readonly LineOf<"factChange">[],
): Promise<void> {
  const now = deps.clock();
  const changes = lines.map((line) => ({ ...line, at: past(line.at, now), before: factRowOf(line) }));
  await withAgentTransaction(deps.db, agent, (tx) => restoreFactChanges(tx, agent.schema, changes));
}

export async function storeSnapshots({ deps, agent }: Restore, lines: readonly LineOf<"snapshot">[]): Promise<void> {
  const now = deps.clock();
  await withAgentTransaction(deps.db, agent, async (tx) => {
    for (const { type: _, seq, ...one } of lines)
      await restoreSnapshot(tx, agent.schema, { ...one, takenAt: past(one.takenAt, now), seq: String(seq) });
    if ((await listSnapshots(tx, agent.schema)).length > MAX_SNAPSHOTS)
      throw invalid(`has more than ${MAX_SNAPSHOTS} snapshots`);
  });
}

export async function storePieces({ deps, agent }: Restore, lines: readonly LineOf<"ingested">[]): Promise<void> {
  await createIngestTables(deps.db, agent.schema, agent.role);
  await withAgentTransaction(deps.db, agent, (tx) =>
    restorePieces(
      tx,
      agent.schema,
      lines.flatMap(({ pieces }) => pieces),
    ),
  );
}
