import { randomUUID } from "node:crypto";
import { DAY_MS } from "../../base/clock.ts";
import { isReadOnlyError } from "../../base/errors.ts";
import { allPieces } from "../../db/agent/facts/ingests.ts";
import { lockOutWriters } from "../../db/agent/files/files.ts";
import {
  deleteSnapshot,
  HELD,
  insertSnapshot,
  listSnapshots,
  type SnapshotRow,
} from "../../db/agent/history/snapshots.ts";
import { type AgentReads, withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import type { ScopeColumns } from "../../db/agent/schema/scope.ts";
import { changedSessions, listSessions, type SessionRow } from "../../db/agent/sessions/sessions.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { hasClasses, hasNumbers, hasSubjects } from "./sql/archive-history.ts";
import type { ArchivedState } from "./sql/archive-read.ts";

/** An agent's memory at one moment. */
export interface FrozenState extends ArchivedState {
  /** Whether any change in the memory has a number. */
  isNumbered: boolean;
  /** Whether any fact has a subject or is an instruction. */
  hasSubjects: boolean;
  /** Whether any message has an origin class. */
  hasClasses: boolean;
  /** The sessions, by key. The messages of a session up to its `lastSeq` belong to the state. */
  sessions: Pick<SessionRow, "id" | "key" | "lastSeq" | "lastLine" | "removed" | keyof ScopeColumns>[];
  /** The snapshots that users took before, oldest first. */
  snapshots: SnapshotRow[];
  /** The hashes of the texts from which a model has extracted facts. */
  pieces: string[];
  /** Deletes the snapshot that holds the state. */
  release(): Promise<void>;
}

const PAGE_ROWS = 1000;
/** The largest difference between the clocks of processes that append messages. */
const CLOCK_SKEW_MS = 600_000;
/** The life of the snapshot if the process dies. */
const KEPT_MS = DAY_MS;
/** A number above every change number and fact id. */
const ALL = "9223372036854775807";

/**
 * Preserves an agent's memory as it is now while it is read page by page. It takes a snapshot, so
 * that no transaction stays open: an open one keeps Postgres from vacuuming, and blocks an embedded
 * database altogether. Messages that are deleted meanwhile are missing from the export.
 *
 * The sessions are listed before the moment, without a lock. Writers wait only while the sessions
 * that have changed since are read and the snapshot is taken, however many sessions there are.
 */
export async function freeze(deps: Deps, agent: KnownAgent): Promise<FrozenState> {
  const name = `${HELD}export-${randomUUID()}`;
  const read: Read = (fn) => withAgentReads(deps.db, agent, fn);
  const listedAt = deps.clock();
  const [pieces, listed] = [await read((tx) => allPieces(tx, tx.schema)), await allSessions(read)];
  try {
    const state = await withAgentTransaction(deps.db, agent, async (tx) => {
      await lockOutWriters(tx, agent.schema);
      const changed = await changedSessions(tx, tx.schema, new Date(listedAt.getTime() - CLOCK_SKEW_MS));
      const rest = await readRest(tx);
      const expiresAt = new Date(deps.clock().getTime() + KEPT_MS);
      const stamp = { takenAt: deps.clock(), takenBy: "system export", expiresAt };
      const { seq, lastFact } = await insertSnapshot(tx, agent.schema, { name, ...stamp });
      return { seq, lastFact, ...rest, changed };
    });
    const release = async () => {
      await withAgentTransaction(deps.db, agent, (tx) => deleteSnapshot(tx, agent.schema, name));
    };
    const { changed, ...others } = state;
    return { ...others, pieces, sessions: joined(listed, changed), release };
  } catch (error) {
    if (!isReadOnlyError(error)) throw error;
    // The database is read-only, so the memory cannot change.
    const rest = await read(readRest);
    return { seq: ALL, lastFact: ALL, ...rest, pieces, sessions: joined(listed, []), release: async () => undefined };
  }
}

type Read = <T>(fn: (tx: AgentReads) => Promise<T>) => Promise<T>;
type FrozenSession = FrozenState["sessions"][number];

async function readRest(
  tx: AgentReads,
): Promise<Pick<FrozenState, "isNumbered" | "hasSubjects" | "hasClasses" | "snapshots">> {
  return {
    isNumbered: await hasNumbers(tx, tx.schema),
    hasSubjects: await hasSubjects(tx, tx.schema),
    hasClasses: await hasClasses(tx, tx.schema),
    snapshots: (await listSnapshots(tx, tx.schema)).reverse(),
  };
}

/** Reads all sessions, each page in its own transaction. */
async function allSessions(read: Read): Promise<FrozenSession[]> {
  const all: FrozenSession[] = [];
  for (let after = ""; ; ) {
    const page = await read((tx) => listSessions(tx, tx.schema, { prefix: "", after, limit: PAGE_ROWS }));
    all.push(...page.map(frozenSession));
    const last = page.at(-1);
    if (!last) return all;
    after = last.key;
  }
}

function frozenSession(row: SessionRow): FrozenSession {
  const { id, key, lastSeq, lastLine, removed, scopeUser, scopeAgent, scopeSession } = row;
  return { id, key, lastSeq, lastLine, removed, scopeUser, scopeAgent, scopeSession };
}

/**
 * Returns the listed sessions, with the changed ones in their latest state, by key in byte order.
 */
function joined(listed: readonly FrozenSession[], changed: readonly SessionRow[]): FrozenSession[] {
  const byKey = new Map(listed.map((session) => [session.key, session]));
  for (const session of changed) byKey.set(session.key, frozenSession(session));
  return [...byKey.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
