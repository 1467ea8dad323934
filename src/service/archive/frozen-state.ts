import { randomUUID } from "node:crypto";
import { DAY_MS } from "../../base/clock.ts";
import { isReadOnlyError } from "../../base/errors.ts";
import { hasNumbers } from "../../db/agent/archive/archive-history.ts";
import type { ArchivedState } from "../../db/agent/archive/archive-read.ts";
import { allPieces } from "../../db/agent/facts/ingests.ts";
import { lockOutWriters } from "../../db/agent/files/files.ts";
import {
  deleteSnapshot,
  HELD,
  insertSnapshot,
  listSnapshots,
  type SnapshotRow,
} from "../../db/agent/history/snapshots.ts";
import { listSessions, type SessionRow } from "../../db/agent/sessions/sessions.ts";
import { type AgentReads, withAgentReads, withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";

/** An agent's memory at one moment. */
export interface FrozenState extends ArchivedState {
  /** Whether anything in it is numbered in the order of changes. */
  isNumbered: boolean;
  /** Its sessions, by key: of each the messages up to `lastSeq` belong to the state. */
  sessions: Pick<SessionRow, "id" | "key" | "lastSeq" | "lastLine" | "removed">[];
  /** Those that somebody took before, oldest first. */
  snapshots: SnapshotRow[];
  /** Hashes of the texts that a model was asked about. */
  pieces: string[];
  /** Lets it go. */
  release(): Promise<void>;
}

const PAGE_ROWS = 1000;
/** If the process dies. */
const KEPT_MS = DAY_MS;
/** Beyond every change. */
const ALL = "9223372036854775807";

/**
 * Holds an agent's memory as it is now while it is read page by page: by a snapshot, so that no transaction stays open, which keeps
 * others from cleaning up, and an embedded database from doing anything at all. Messages that are deleted meanwhile are gone.
 */
export async function freeze(deps: Deps, agent: KnownAgent): Promise<FrozenState> {
  const name = `${HELD}export-${randomUUID()}`;
  try {
    const state = await withAgentTransaction(deps.db, agent, async (tx) => {
      await lockOutWriters(tx, agent.schema);
      const lists = await readLists(tx);
      const expiresAt = new Date(deps.clock().getTime() + KEPT_MS);
      const stamp = { takenAt: deps.clock(), takenBy: "system export", expiresAt };
      const { seq, lastFact } = await insertSnapshot(tx, agent.schema, { name, ...stamp });
      return { seq, lastFact, ...lists };
    });
    const release = async () => {
      await withAgentTransaction(deps.db, agent, (tx) => deleteSnapshot(tx, agent.schema, name));
    };
    return { ...state, release };
  } catch (error) {
    if (!isReadOnlyError(error)) throw error;
    // Nothing can change.
    const lists = await withAgentReads(deps.db, agent, readLists);
    return { seq: ALL, lastFact: ALL, ...lists, release: async () => undefined };
  }
}

async function readLists(tx: AgentReads): Promise<Omit<FrozenState, "seq" | "lastFact" | "release">> {
  return {
    isNumbered: await hasNumbers(tx, tx.schema),
    snapshots: (await listSnapshots(tx, tx.schema)).reverse(),
    sessions: await allSessions(tx),
    pieces: await allPieces(tx, tx.schema),
  };
}

async function allSessions(tx: AgentReads): Promise<FrozenState["sessions"]> {
  const all: FrozenState["sessions"] = [];
  for (let after = ""; ; ) {
    const page = await listSessions(tx, tx.schema, { prefix: "", after, limit: PAGE_ROWS });
    for (const { id, key, lastSeq, lastLine, removed } of page) all.push({ id, key, lastSeq, lastLine, removed });
    const last = page.at(-1);
    if (!last) return all;
    after = last.key;
  }
}
