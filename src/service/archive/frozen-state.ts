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
import { changedSessions, listSessions, type SessionRow } from "../../db/agent/sessions/sessions.ts";
import { type AgentReads, withAgentReads, withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import type { ScopeColumns } from "../../db/agent/space/scope.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";

/** An agent's memory at one moment. */
export interface FrozenState extends ArchivedState {
  /** Whether anything in it is numbered in the order of changes. */
  isNumbered: boolean;
  /** Its sessions, by key: of each the messages up to `lastSeq` belong to the state. */
  sessions: Pick<SessionRow, "id" | "key" | "lastSeq" | "lastLine" | "removed" | keyof ScopeColumns>[];
  /** Those that somebody took before, oldest first. */
  snapshots: SnapshotRow[];
  /** Hashes of the texts that a model was asked about. */
  pieces: string[];
  /** Lets it go. */
  release(): Promise<void>;
}

const PAGE_ROWS = 1000;
/** How far the clocks of processes that append messages may be apart. */
const CLOCK_SKEW_MS = 600_000;
/** If the process dies. */
const KEPT_MS = DAY_MS;
/** Beyond every change. */
const ALL = "9223372036854775807";

/**
 * Holds an agent's memory as it is now while it is read page by page: by a snapshot, so that no transaction stays open, which keeps
 * others from cleaning up, and an embedded database from doing anything at all. Messages that are deleted meanwhile are gone.
 *
 * The sessions are listed before the moment, without a lock. Writers wait only while the sessions that have changed since are read and
 * the snapshot is taken, however many sessions there are.
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
    // Nothing can change.
    const rest = await read(readRest);
    return { seq: ALL, lastFact: ALL, ...rest, pieces, sessions: joined(listed, []), release: async () => undefined };
  }
}

type Read = <T>(fn: (tx: AgentReads) => Promise<T>) => Promise<T>;
type FrozenSession = FrozenState["sessions"][number];

async function readRest(tx: AgentReads): Promise<Pick<FrozenState, "isNumbered" | "snapshots">> {
  return {
    isNumbered: await hasNumbers(tx, tx.schema),
    snapshots: (await listSnapshots(tx, tx.schema)).reverse(),
  };
}

/** Reads each page in a transaction of its own. */
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

/** Returns the listed sessions with those that changed in place of their earlier states, by key in the order of bytes. */
function joined(listed: readonly FrozenSession[], changed: readonly SessionRow[]): FrozenSession[] {
  const byKey = new Map(listed.map((session) => [session.key, session]));
  for (const session of changed) byKey.set(session.key, frozenSession(session));
  return [...byKey.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
