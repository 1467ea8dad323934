import { and, asc, eq, isNotNull, ne, sql as raw } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { shares } from "./links-schema.ts";
import { agents } from "./schema.ts";

type AgentRow = typeof agents.$inferSelect;

/** What of a memory is shared. */
export interface ShareTerms {
  /** Folders of files; empty: all that the sharer remembers. */
  folders: string[];
  /** Conversations too. */
  sessions: boolean;
}

/** A share as one of its sides sees it. */
export interface ShareRow extends ShareTerms {
  /** The agent on the other side. */
  agentId: string;
  offeredAt: Date;
  /** null: offered, and not taken. */
  takenAt: Date | null;
}

/** An agent whose memory another reads, with what it takes to read it. */
export type SharedAgent = ShareTerms &
  Pick<AgentRow, "id" | "schemaName" | "roleName" | "settings" | "status" | "schemaVersion" | "breakingVersion">;

/**
 * A column of the statement that finds an agent: the agents whose memory it reads, by id. Both sides have said so, and the sharer is
 * in use. Of an agent that reads no other it is one look into an index.
 */
export const sharedAgents = raw<SharedAgent[] | null>`(
  SELECT json_agg(json_build_object('id', a.id, 'schemaName', a.schema_name, 'roleName', a.role_name, 'settings', a.settings,
           'status', a.status, 'schemaVersion', a.schema_version, 'breakingVersion', a.breaking_version,
           'folders', s.folders, 'sessions', s.sessions) ORDER BY a.id)
    FROM recollect.shares s JOIN recollect.agents a ON a.schema_name = s.sharer_schema
   WHERE s.reader_schema = ${agents.schemaName} AND s.taken_at IS NOT NULL AND a.status = 'active'
     AND a.tenant_id = ${agents.tenantId})`;

/** Offers a memory, or changes what is offered; a reader that has taken it keeps it. */
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

/** Two agents, by their schemas. */
export interface SharePair {
  sharer: string;
  reader: string;
}

/** Withdraws an offer, taken or not. @returns false when there was none */
export async function withdrawShare(sql: SqlExecutor, pair: SharePair): Promise<boolean> {
  const rows = await controlDb(sql).delete(shares).where(isPair(pair)).returning({ reader: shares.readerSchema });
  return rows.length > 0;
}

/** Takes what is offered, or gives it back. @returns false when nothing is offered, or nothing was taken */
export async function markTaken(sql: SqlExecutor, pair: SharePair, takenAt: Date | null): Promise<boolean> {
  const wanted = takenAt === null ? isNotNull(shares.takenAt) : undefined;
  const rows = await controlDb(sql)
    .update(shares)
    .set({ takenAt: takenAt === null ? null : raw`coalesce(${shares.takenAt}, ${takenAt.toISOString()}::timestamptz)` })
    .where(and(isPair(pair), wanted))
    .returning({ reader: shares.readerSchema });
  return rows.length > 0;
}

/** The shares of an agent, by the other side's id: those that it offers, or those that are offered to it. */
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
