import { boolean, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { agents, instant, recollect } from "./schema.ts";

/**
 * The shares: which agents may read another agent's memory, and which of them do. The sharer
 * offers, and the reader accepts. Both are named by their schemas, whose names are never reused, so
 * that a later agent with the same id inherits nothing. A share is deleted with either agent.
 */
export const shares = recollect.table(
  "shares",
  {
    readerSchema: text("reader_schema")
      .notNull()
      .references(() => agents.schemaName, { onDelete: "cascade" }),
    sharerSchema: text("sharer_schema")
      .notNull()
      .references(() => agents.schemaName, { onDelete: "cascade" }),
    /** The folders of files that are offered; empty: the sharer's whole memory. */
    folders: text("folders").array().notNull(),
    /** Whether conversations are offered too. */
    sessions: boolean("sessions").notNull(),
    offeredAt: instant("offered_at").notNull(),
    /** The time when the reader accepted; NULL: it has not. */
    takenAt: instant("taken_at"),
  },
  (table) => [
    primaryKey({ columns: [table.readerSchema, table.sharerSchema] }),
    index("shares_sharer").on(table.sharerSchema),
  ],
);

/**
 * Agents that were copied from another agent's memory, with the moment of that memory that they
 * have. The origin may be erased; the copied content belongs to the branch.
 */
export const branches = recollect.table(
  "branches",
  {
    schemaName: text("schema_name")
      .primaryKey()
      .references(() => agents.schemaName, { onDelete: "cascade" }),
    originSchema: text("origin_schema").notNull(),
    /** The moment of the origin that was copied; NULL: the copy is still under way. */
    branchedAt: instant("branched_at"),
    /** The past moment whose state was copied, and the snapshot if it was one; NULL: the present. */
    pastAt: instant("past_at"),
    snapshot: text("snapshot"),
    /** The copied rows of the large tables, shown to callers that wait. */
    copied: integer("copied").notNull().default(0),
    total: integer("total").notNull().default(0),
  },
  (table) => [index("branches_origin").on(table.originSchema)],
);
