import { randomUUID } from "node:crypto";
import { isReadOnlyError } from "../../base/errors.ts";
import type { ArchivedState } from "../../db/agent/archive/archive-read.ts";
import { lockOutWriters } from "../../db/agent/files/files.ts";
import { deleteSnapshot, insertSnapshot, listSnapshots, type SnapshotRow } from "../../db/agent/history/snapshots.ts";
import { listSessions, type SessionRow } from "../../db/agent/sessions/sessions.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";

/** An agent's memory at one moment. */
export interface FrozenState extends ArchivedState {
  /** Its sessions, by key: of each the messages up to `lastSeq` belong to the state. */
  sessions: Pick<SessionRow, "id" | "key" | "lastSeq" | "lastLine" | "removed">[];
  /** Those of before, oldest first. */
  snapshots: SnapshotRow[];
  /** Lets it go. */
  release(): Promise<void>;
}

const PAGE_ROWS = 1000;
/** If the process dies. */
const KEPT_MS = 86_400_000;
/** Beyond every change. */
const ALL = "9223372036854775807";

/**
 * Holds an agent's memory as it is now while it is read page by page: by a snapshot, so that no transaction stays open, which keeps
 * others from cleaning up, and an embedded database from doing anything at all. Messages that are deleted meanwhile are gone.
 */
export async function freeze(deps: Deps, agent: KnownAgent): Promise<FrozenState> {
  const name = `export-${randomUUID()}`;
  try {
    const state = await withAgentTransaction(deps.db, agent, async (tx) => {
      await lockOutWriters(tx, agent.schema);
      const snapshots = (await listSnapshots(tx, agent.schema)).filter((one) => !one.name.startsWith("export-"));
      const stamp = { takenAt: deps.clock(), takenBy: "system export" };
      const expiresAt = new Date(deps.clock().getTime() + KEPT_MS);
      const { seq, lastFact } = await insertSnapshot(tx, agent.schema, { name, ...stamp, expiresAt });
      return { seq, lastFact, snapshots: snapshots.reverse(), sessions: await allSessions(tx) };
    });
    const release = async () => {
      await withAgentTransaction(deps.db, agent, (tx) => deleteSnapshot(tx, agent.schema, name));
    };
    return { ...state, release };
  } catch (error) {
    if (!isReadOnlyError(error)) throw error;
    // Nothing can change.
    return withAgentTransaction(deps.db, agent, async (tx) => ({
      ...{ seq: ALL, lastFact: ALL, snapshots: (await listSnapshots(tx, agent.schema)).reverse() },
      ...{ sessions: await allSessions(tx), release: async () => undefined },
    }));
  }
}

async function allSessions(tx: AgentTransaction): Promise<FrozenState["sessions"]> {
  const all: FrozenState["sessions"] = [];
  for (let after = ""; ; ) {
    const page = await listSessions(tx, tx.schema, { prefix: "", after, limit: PAGE_ROWS });
    for (const { id, key, lastSeq, lastLine, removed } of page) all.push({ id, key, lastSeq, lastLine, removed });
    const last = page.at(-1);
    if (!last) return all;
    after = last.key;
  }
}
