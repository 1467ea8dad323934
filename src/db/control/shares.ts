import { and, asc, eq, isNotNull, ne, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { shares } from "./links-schema.ts";
import { agents } from "./schema.ts";

type AgentRow = typeof agents.$inferSelect;

/** The shared part of a memory. */
export interface ShareTerms {
  /** The shared folders of files; empty: the sharer's whole memory. */
  folders: string[];
  /** Whether conversations are shared too. */
  sessions: boolean;
}

/** A share as seen from one of its two agents. */
export interface ShareRow extends ShareTerms {
  /** The agent on the other side. */
  agentId: string;
  offeredAt: Date;
  /** The time when the reader accepted; null: offered, but not accepted. */
  takenAt: Date | null;
}

/** An agent whose memory another agent reads, with the data needed to read it. */
export type SharedAgent = ShareTerms &
  Pick<AgentRow, "id" | "schemaName" | "roleName" | "settings" | "status" | "schemaVersion" | "breakingVersion">;

/**
 * The column of the agent look-up that lists the agents whose memory the agent reads, by id. The
 * offer must be accepted, and the sharer active. For an agent that reads no other, this costs one
 * look into an index.
 */
export const sharedAgents = raw<SharedAgent[] | null>`(
  SELECT json_agg(json_build_object('id', a.id, 'schemaName', a.schema_name, 'roleName', a.role_name, 'settings', a.settings,
           'status', a.status, 'schemaVersion', a.schema_version, 'breakingVersion', a.breaking_version,
           'folders', s.folders, 'sessions', s.sessions) ORDER BY a.id)
    FROM recollect.shares s
    JOIN recollect.agents a ON a.schema_name = s.sharer_schema
   WHERE s.reader_schema = ${agents.schemaName}
     AND s.taken_at IS NOT NULL
     AND a.status = 'active'
     AND a.tenant_id = ${agents.tenantId})`;

/** Offers a memory, or changes the offer. A reader that has accepted keeps its access. */
export async function offerShare(
  sql: SqlExecutor,
  pair: SharePair,
  { folders, sessions }: ShareTerms,
  now: Date,
): Promise<void> {
  const row = { readerSchema: pair.reader, sharerSchema: pair.sharer, folders, sessions, offeredAt: now };
  await controlDb(sql)
    .insert(shares)
    .values(row)
    .onConflictDoUpdate({ target: [shares.readerSchema, shares.sharerSchema], set: { folders, sessions } });
}

/** Two agents, named by their schemas. */
export interface SharePair {
  sharer: string;
  reader: string;
}

/**
 * Withdraws an offer, accepted or not.
 *
 * @returns false when there was none
 */
export async function withdrawShare(sql: SqlExecutor, pair: SharePair): Promise<boolean> {
  const rows = await controlDb(sql).delete(shares).where(isPair(pair)).returning({ reader: shares.readerSchema });
  return rows.length > 0;
}

/**
 * Accepts an offer, or gives it up.
 *
 * @returns false when nothing is offered, or nothing was accepted
 */
export async function markTaken(sql: SqlExecutor, pair: SharePair, takenAt: Date | null): Promise<boolean> {
  const wanted = takenAt === null ? isNotNull(shares.takenAt) : undefined;
  const rows = await controlDb(sql)
    .update(shares)
    .set({ takenAt: takenAt === null ? null : raw`coalesce(${shares.takenAt}, ${takenAt.toISOString()}::timestamptz)` })
    .where(and(isPair(pair), wanted))
    .returning({ reader: shares.readerSchema });
  return rows.length > 0;
}

/**
 * Reads the shares of an agent, by the other agent's id: those that it offers, or those that are
 * offered to it.
 */
export function listShares(
  sql: SqlExecutor,
  schemaName: string,
  side: "offered by" | "offered to",
): Promise<ShareRow[]> {
  const [mine, other] =
    side === "offered by" ? [shares.sharerSchema, shares.readerSchema] : [shares.readerSchema, shares.sharerSchema];
  const { folders, sessions, offeredAt, takenAt } = shares;
  return controlDb(sql)
    .select({ agentId: agents.id, folders, sessions, offeredAt, takenAt })
    .from(shares)
    .innerJoin(agents, and(eq(agents.schemaName, other), ne(agents.status, "erasing")))
    .where(eq(mine, schemaName))
    .orderBy(asc(agents.id));
}

function isPair({ sharer, reader }: SharePair) {
  return and(eq(shares.readerSchema, reader), eq(shares.sharerSchema, sharer));
}
