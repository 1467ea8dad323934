import {
  bigint,
  customType,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uuid,
  varchar,
} from "drizzle-orm/pg-core";

/** The control schema: who exists and where their memory is. Nothing in it refers to a table of an agent's schema. */
export const recollect = pgSchema("recollect");

/** pgvector's `vector` without a fixed number of dimensions: the cache holds every model's vectors. */
const anyVector = customType<{ data: string }>({ dataType: () => "vector" });
const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const count = (name: string) => bigint(name, { mode: "number" }).notNull().default(0);

export const tenants = recollect.table("tenants", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull().unique(),
  settings: jsonb("settings").$type<Record<string, unknown>>().notNull().default({}),
  limits: jsonb("limits").$type<Record<string, number>>().notNull().default({}),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull(),
});

/** API keys: the whole key is shown once and kept only as its SHA-256; the prefix finds the row and names the key in lists. */
export const apiKeys = recollect.table(
  "api_keys",
  {
    id: uuid("id").primaryKey(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    name: text("name").notNull(),
    prefix: text("prefix").notNull().unique(),
    hash: text("hash").notNull(),
    scopes: text("scopes").array().notNull(),
    /** The one agent the key is for; NULL: all of the tenant's. */
    agentId: text("agent_id"),
    /** Requests a minute; NULL: the service's default. */
    requestsPerMinute: integer("requests_per_minute"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at"),
    revokedAt: instant("revoked_at"),
    lastUsedAt: instant("last_used_at"),
  },
  (table) => [index("api_keys_tenant").on(table.tenantId, table.agentId)],
);

export const agents = recollect.table(
  "agents",
  {
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    id: text("id").notNull(),
    name: text("name").notNull().default(""),
    schemaName: text("schema_name").notNull().unique(),
    roleName: text("role_name").notNull().unique(),
    settings: jsonb("settings").$type<Record<string, unknown>>().notNull().default({}),
    limits: jsonb("limits").$type<Record<string, number>>().notNull().default({}),
    /** Number of the newest agent migration that has been applied to the schema; 0 while it is being created. */
    schemaVersion: integer("schema_version").notNull(),
    /** Number of the newest breaking migration among them: a binary that does not know it must not touch the schema. */
    breakingVersion: integer("breaking_version").notNull().default(0),
    status: text("status", { enum: ["creating", "active", "disabled", "erasing"] }).notNull(),
    /** Code of the last failed attempt to migrate the schema, when it was and how many there were; cleared by success. */
    migrationError: text("migration_error"),
    migrationFailedAt: instant("migration_failed_at"),
    migrationAttempts: integer("migration_attempts").notNull().default(0),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    // The sweep's question: which agents are behind?
    index("agents_schema_version").on(table.schemaVersion),
  ],
);

/** What an agent's memory amounts to; changed in the transaction of every write, so that quotas hold across processes. */
export const usage = recollect.table(
  "usage",
  {
    tenantId: uuid("tenant_id").notNull(),
    agentId: text("agent_id").notNull(),
    files: count("files"),
    bytes: count("bytes"),
    chunks: count("chunks"),
    facts: count("facts"),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.agentId] })],
);

/** Rules that route a message to an agent, in their order. */
export const bindings = recollect.table(
  "bindings",
  {
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    position: integer("position").notNull(),
    agentId: text("agent_id").notNull(),
    match: jsonb("match").$type<Record<string, unknown>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.position] })],
);

/** Administrative acts, for the tenant to read. Never holds a secret or a text of an agent's memory. */
export const auditLog = recollect.table(
  "audit_log",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    tenantId: uuid("tenant_id").notNull(),
    at: instant("at").notNull(),
    /** A key's prefix, `local` (no key, on loopback or the command line) or `system`. */
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    target: text("target").notNull(),
    details: jsonb("details").$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [index("audit_log_tenant").on(table.tenantId, table.id)],
);

/** What is left of an erased agent: proof of what was erased, by whom and when. */
export const erasureReceipts = recollect.table(
  "erasure_receipts",
  {
    id: uuid("id").primaryKey(),
    tenantId: uuid("tenant_id").notNull(),
    agentId: text("agent_id").notNull(),
    actor: text("actor").notNull(),
    erasedAt: instant("erased_at").notNull(),
    counts: jsonb("counts").$type<Record<string, number>>().notNull(),
    /** SHA-256 of each path, so that the erasure of a file one knows by name can be proven without keeping names. */
    pathHashes: text("path_hashes").array().notNull(),
  },
  (table) => [index("erasure_receipts_tenant").on(table.tenantId, table.erasedAt)],
);

/** Windows of the request limiter, in the shape that rate-limiter-flexible reads and writes. */
export const rateLimits = recollect.table(
  "rate_limits",
  {
    key: varchar("key", { length: 255 }).primaryKey(),
    points: integer("points").notNull().default(0),
    expire: bigint("expire", { mode: "number" }),
  },
  (table) => [index("rate_limits_expire").on(table.expire)],
);

export const embeddingCache = recollect.table(
  "embedding_cache",
  {
    tenantId: uuid("tenant_id").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    /** Fingerprint of the API key, the endpoint and the requested dimensions; never the key. */
    providerKey: text("provider_key").notNull(),
    hash: text("hash").notNull(),
    embedding: anyVector("embedding").notNull(),
    /** The agent whose text or query it was first; it is erased with that agent. NULL: made before this was noted. */
    agentId: text("agent_id"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({
      name: "embedding_cache_pk",
      // The hash comes second, so that an erasure finds a text's vectors whatever model made them.
      columns: [table.tenantId, table.hash, table.provider, table.model, table.providerKey],
    }),
    index("embedding_cache_created_at").on(table.tenantId, table.createdAt),
    index("embedding_cache_agent").on(table.tenantId, table.agentId),
  ],
);
