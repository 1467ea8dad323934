import { boolean, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { agents, instant, recollect } from "./schema.ts";

/**
 * Which agents may read another's memory, and which of them do: both sides must have said so. Both are named by their schemas, which
 * are never given twice, so that an agent of the same name made later inherits nothing; the rows go with either.
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
    /** The folders of files that are offered; empty: all that the sharer remembers. */
    folders: text("folders").array().notNull(),
    /** Whether conversations are offered too. */
    sessions: boolean("sessions").notNull(),
    offeredAt: instant("offered_at").notNull(),
    /** When the reader took it; NULL: it has not. */
    takenAt: instant("taken_at"),
  },
  (table) => [
    primaryKey({ columns: [table.readerSchema, table.sharerSchema] }),
    index("shares_sharer").on(table.sharerSchema),
  ],
);

/**
 * Agents that were made of another's memory, with the moment of it that they have. The other may be erased; what was copied is the
 * branch's own.
 */
export const branches = recollect.table("branches", {
  schemaName: text("schema_name")
    .primaryKey()
    .references(() => agents.schemaName, { onDelete: "cascade" }),
  originSchema: text("origin_schema").notNull(),
  /** The moment of the origin that was copied; NULL: it is still being copied. */
  branchedAt: instant("branched_at"),
  /** The moment of the past that it is made of, and the snapshot if that is one; NULL: the present. */
  pastAt: instant("past_at"),
  snapshot: text("snapshot"),
  /** Rows of the large tables, for who waits. */
  copied: integer("copied").notNull().default(0),
  total: integer("total").notNull().default(0),
});
