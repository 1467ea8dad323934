import { checkMemoryPath } from "../../agents/memory-path.ts";
import {
  restoreFactChanges,
  restoreNumbers,
  restoreSnapshot,
  restoreVersions,
} from "../../db/agent/archive/archive-history.ts";
import { createIngestTables, restorePieces } from "../../db/agent/facts/ingests.ts";
import { withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import { contentHash, toLines } from "../../ingest/normalise.ts";
import { takeQuota } from "../core/quota.ts";
import type { LineOf } from "./archive-format.ts";
import { factRowOf } from "./fact-state.ts";
import { invalid } from "./parse-line.ts";
import type { Restore } from "./restore-vectors.ts";

/** Gives files that were just stored the numbers of their changes. */
export async function storeNumbers({ deps, agent }: Restore, files: readonly LineOf<"file">[]): Promise<void> {
  const numbered = files.flatMap(({ path, seq, born, writtenAt, writtenBy = null }) => {
    if (seq === undefined || born === undefined || writtenAt === undefined) return [];
    if (born > seq) throw invalid("has a file that was written before it was made");
    return [{ path: checkMemoryPath(path), seq, born, writtenAt, writtenBy }];
  });
  if (numbered.length === 0) return;
  await withAgentTransaction(deps.db, agent, (tx) => restoreNumbers(tx, agent.schema, numbered));
}

/** Versions inside the quota, as they would be kept of writes. */
export async function storeVersions({ deps, agent }: Restore, lines: readonly LineOf<"version">[]): Promise<void> {
  const versions = lines.map(({ type: _, path, content, origin = null, original = null, ...one }) => {
    if (one.born > one.since || one.since >= one.version) throw invalid("has a version that ends before it begins");
    const measured = { hash: contentHash(content), size: Buffer.byteLength(content), lines: toLines(content).length };
    return { ...one, path: checkMemoryPath(path), content, origin, original, ...measured };
  });
  const historyBytes = versions.reduce((sum, { size }) => sum + size, 0);
  await withAgentTransaction(deps.db, agent, async (tx) => {
    await restoreVersions(tx, agent.schema, versions);
    await takeQuota(await tx.asService(), agent, { files: 0, bytes: 0, chunks: 0, facts: 0, historyBytes });
  });
}

export async function storeFactChanges(
  { deps, agent }: Restore,
  lines: readonly LineOf<"factChange">[],
): Promise<void> {
  const changes = lines.map((line) => ({ ...line, before: factRowOf(line) }));
  await withAgentTransaction(deps.db, agent, (tx) => restoreFactChanges(tx, agent.schema, changes));
}

export async function storeSnapshots({ deps, agent }: Restore, lines: readonly LineOf<"snapshot">[]): Promise<void> {
  await withAgentTransaction(deps.db, agent, async (tx) => {
    for (const { type: _, seq, ...one } of lines)
      await restoreSnapshot(tx, agent.schema, { ...one, seq: String(seq) });
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
