import {
  bigint,
  boolean,
  customType,
  date,
  index,
  integer,
  json,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uuid,
  varchar,
} from "drizzle-orm/pg-core";

/**
 * The control schema: tenants, keys, agents, and where each agent's memory is. None of its tables
 * refers to a table of an agent's schema.
 */
export const recollect = pgSchema("recollect");

/**
 * pgvector's `vector` without a fixed number of dimensions: the cache holds every model's vectors.
 */
const anyVector = customType<{ data: string }>({ dataType: () => "vector" });
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const count = (name: string) => bigint(name, { mode: "number" }).notNull().default(0);

export const tenants = recollect.table("tenants", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull().unique(),
  settings: jsonb("settings").$type<Record<string, unknown>>().notNull().default({}),
  limits: jsonb("limits").$type<Record<string, number>>().notNull().default({}),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull(),
});

/**
 * API keys. The whole key is shown once and stored only as its SHA-256. The prefix finds the row
 * and names the key in lists.
 */
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
    /** The one agent that the key is for; NULL: all agents of the tenant. */
    agentId: text("agent_id"),
    /** Requests a minute; NULL: the service's default. */
    requestsPerMinute: integer("requests_per_minute"),
    /**
     * The key whose limit this key's requests count towards as well, because that key created this
     * one, directly or through other keys.
     */
    sharesRateOf: uuid("shares_rate_of"),
    /** The limit of the key in `shares_rate_of`; NULL exactly when that column is NULL. */
    sharedRequestsPerMinute: integer("shared_requests_per_minute"),
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
    /**
     * The number of the newest agent migration that has been applied to the schema; 0 while it is
     * being created.
     */
    schemaVersion: integer("schema_version").notNull(),
    /**
     * The number of the newest breaking migration among them. A binary that does not know it must
     * not touch the schema.
     */
    breakingVersion: integer("breaking_version").notNull().default(0),
    /**
     * `importing`: an archive is being read into the agent, which no caller can find before the
     * import is done.
     */
    status: text("status", { enum: ["creating", "importing", "active", "disabled", "erasing"] }).notNull(),
    /**
     * The error code of the last failed attempt to migrate the schema, its time, and the number of
     * attempts. A success clears them.
     */
    migrationError: text("migration_error"),
    migrationFailedAt: instant("migration_failed_at"),
    migrationAttempts: integer("migration_attempts").notNull().default(0),
    /**
     * The time when a sync of the agent's folders and conversations last ended; NULL: none has. No
     * index, so that updating it stays cheap.
     */
    syncedAt: instant("synced_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    // The fleet's migration asks which agents are behind.
    index("agents_schema_version").on(table.schemaVersion),
  ],
);

/**
 * The size of an agent's memory. It changes in the transaction of every write, so that quotas hold
 * across processes.
 */
export const usage = recollect.table(
  "usage",
  {
    tenantId: uuid("tenant_id").notNull(),
    agentId: text("agent_id").notNull(),
    files: count("files"),
    bytes: count("bytes"),
    chunks: count("chunks"),
    facts: count("facts"),
    historyBytes: count("history_bytes"),
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

/** The receipt of an agent's erasure: proof of what was erased, by which caller and when. */
export const erasureReceipts = recollect.table(
  "erasure_receipts",
  {
    id: uuid("id").primaryKey(),
    tenantId: uuid("tenant_id").notNull(),
    agentId: text("agent_id").notNull(),
    actor: text("actor").notNull(),
    erasedAt: instant("erased_at").notNull(),
    counts: jsonb("counts").$type<Record<string, number>>().notNull(),
    /**
     * The SHA-256 of each path, so that the erasure of a file whose name is known can be proven
     * without keeping names.
     */
    pathHashes: text("path_hashes").array().notNull(),
  },
  (table) => [index("erasure_receipts_tenant").on(table.tenantId, table.erasedAt)],
);

/**
 * The answers to writes with an idempotency key, stored in the transaction of the write and deleted
 * after a day.
 */
export const idempotencyKeys = recollect.table(
  "idempotency_keys",
  {
    tenantId: uuid("tenant_id").notNull(),
    /** SHA-256 of the actor and the key that the client chose. */
    key: text("key").notNull(),
    /** The agent whose files the answer may name; NULL for an answer that outlives the agent. */
    agentId: text("agent_id"),
    /** The SHA-256 of the request's content. */
    fingerprint: text("fingerprint").notNull(),
    /** Not jsonb, which would change the order of the keys. */
    answer: json("answer").$type<unknown>().notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.key] }),
    index("idempotency_keys_created").on(table.createdAt),
  ],
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
    /**
     * A fingerprint of the API key, the endpoint and the requested dimensions; never the key
     * itself.
     */
    providerKey: text("provider_key").notNull(),
    hash: text("hash").notNull(),
    embedding: anyVector("embedding").notNull(),
    /**
     * The agent that used the text or query first; the entry is erased with that agent. NULL:
     * stored before agents were recorded.
     */
    agentId: text("agent_id"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({
      name: "embedding_cache_pk",
      // The hash comes second, so that an erasure finds a text's vectors of all models.
      columns: [table.tenantId, table.hash, table.provider, table.model, table.providerKey],
    }),
    // Erasure reads an agent's entries, eviction reads its oldest.
    index("embedding_cache_agent").on(table.tenantId, table.agentId, table.createdAt),
  ],
);

/**
 * Batches of texts that a provider embeds within a day. The row is stored before the batch is sent
 * to the provider.
 */
export const embeddingBatches = recollect.table(
  "embedding_batches",
  {
    /** Also the token by which the batch is recognised at the provider. */
    id: uuid("id").primaryKey(),
    tenantId: uuid("tenant_id").notNull(),
    agentId: text("agent_id").notNull(),
    generationId: integer("generation_id").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    providerKey: text("provider_key").notNull(),
    /**
     * `planned`: unknown to the provider. `direct`: failed; until `expiresAt` the generation is
     * embedded without batches.
     */
    status: text("status", { enum: ["planned", "submitting", "running", "cancelling", "direct"] }).notNull(),
    /**
     * The provider's names of the batch and of the file with its texts; NULL until they are known.
     */
    remoteId: text("remote_id"),
    inputFile: text("input_file"),
    /**
     * The newest chunk when batches were last planned, and whether some chunks up to it wait for
     * the next batch.
     */
    plannedTo: bigint("planned_to", { mode: "number" }).notNull(),
    backlog: boolean("backlog").notNull(),
    texts: integer("texts").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("embedding_batches_agent").on(table.tenantId, table.agentId)],
);

/**
 * The texts that a batch has not delivered yet. An entry is deleted in the transaction that stores
 * its vector.
 */
export const embeddingBatchItems = recollect.table(
  "embedding_batch_items",
  {
    batchId: uuid("batch_id")
      .notNull()
      .references(() => embeddingBatches.id, { onDelete: "cascade" }),
    hash: text("hash").notNull(),
    /** Estimated, for a provider that does not count tokens. */
    tokens: integer("tokens").notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.hash] })],
);

/** The requests to embedding providers, by UTC day. The agent "" stands for erased agents. */
export const embeddingUsage = recollect.table(
  "embedding_usage",
  {
    tenantId: uuid("tenant_id").notNull(),
    day: date("day", { mode: "string" }).notNull(),
    agentId: text("agent_id").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    kind: text("kind", { enum: ["document", "query"] }).notNull(),
    requests: count("requests"),
    texts: count("texts"),
    tokens: count("tokens"),
    /** The cost in billionths of a US dollar, of the tokens whose price was known. */
    costNanoUsd: count("cost_nano_usd"),
    unpricedTokens: count("unpriced_tokens"),
  },
  (table) => [
    primaryKey({
      columns: [table.tenantId, table.day, table.agentId, table.provider, table.model, table.kind],
    }),
  ],
);
