import { bigint, index, integer, jsonb, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { agents, instant, recollect } from "./schema.ts";

/**
 * Returns the column with a row's public name. Its serial number would tell a tenant how much
 * happens in all other tenants.
 */
const publicId = () => uuid("public_id").notNull().defaultRandom();

/**
 * Administrative acts, for the tenant to read. Never holds a secret or a text of an agent's memory.
 */
export const auditLog = recollect.table(
  "audit_log",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    publicId: publicId(),
    tenantId: uuid("tenant_id").notNull(),
    at: instant("at").notNull(),
    /** A key's prefix, `local` (no key, on loopback or the command line) or `system`. */
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    target: text("target").notNull(),
    details: jsonb("details").$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [
    index("audit_log_tenant").on(table.tenantId, table.id),
    // Finds the entry after which the next page of a list begins.
    uniqueIndex("audit_log_public_id").on(table.publicId),
  ],
);

/** The kinds of calls of an agent's memory that its activity counts. */
const CALL_KINDS = ["search", "recall", "capture", "read"] as const;

/**
 * The callers that searched, recalled, captured and read, for the readers of an agent. The table holds no
 * text of a question or of the memory. A row sums up the calls of one caller within a few seconds.
 * Rows are deleted with their agent.
 */
export const agentActivity = recollect.table(
  "agent_activity",
  {
    id: bigint("id", { mode: "bigint" }).generatedAlwaysAsIdentity(),
    publicId: publicId(),
    /**
     * A name that is never reused, so that a later agent with the same id does not inherit the row.
     */
    schemaName: text("schema_name")
      .notNull()
      .references(() => agents.schemaName, { onDelete: "cascade" }),
    /** The time of the last call in the row. */
    at: instant("at").notNull(),
    actor: text("actor").notNull(),
    kind: text("kind", { enum: CALL_KINDS }).notNull(),
    times: integer("times").notNull(),
    /** The number of search hits, of facts and quotations recalled, of facts stored, or of texts read. */
    hits: integer("hits").notNull(),
    /** The number of calls that failed, and of calls that found nothing. */
    failed: integer("failed").notNull().default(0),
    empty: integer("empty").notNull().default(0),
    /** The time that the measured calls took in all, and the longest; null: none was measured. */
    ms: integer("ms"),
    slowestMs: integer("slowest_ms"),
  },
  (table) => [
    primaryKey({ columns: [table.schemaName, table.id] }),
    // A job looks for rows that are too old in all agents at once.
    index("agent_activity_at").on(table.at),
  ],
);

/**
 * The same by the hour, for charts over weeks. `latencies` counts the calls by their duration, in the
 * classes of `agent-activity.ts`. Rows are deleted with their agent.
 */
export const activityHours = recollect.table(
  "activity_hours",
  {
    schemaName: text("schema_name")
      .notNull()
      .references(() => agents.schemaName, { onDelete: "cascade" }),
    hour: instant("hour").notNull(),
    actor: text("actor").notNull(),
    kind: text("kind", { enum: CALL_KINDS }).notNull(),
    times: bigint("times", { mode: "number" }).notNull(),
    hits: bigint("hits", { mode: "number" }).notNull(),
    failed: bigint("failed", { mode: "number" }).notNull(),
    empty: bigint("empty", { mode: "number" }).notNull(),
    ms: bigint("ms", { mode: "number" }).notNull(),
    slowestMs: integer("slowest_ms").notNull(),
    latencies: bigint("latencies", { mode: "number" }).array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.schemaName, table.hour, table.kind, table.actor] }),
    index("activity_hours_hour").on(table.hour),
  ],
);
