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

/** The control schema: who exists and where their memory is. Nothing in it refers to a table of an agent's schema. */
export const recollect = pgSchema("recollect");

/** pgvector's `vector` without a fixed number of dimensions: the cache holds every model's vectors. */
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
    /** The key whose requests a minute this key's requests count towards too, because it or a key that it made made this one. */
    sharesRateOf: uuid("shares_rate_of"),
    /** The limit of that key; NULL as long as `shares_rate_of` is. */
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
    /** Number of the newest agent migration that has been applied to the schema; 0 while it is being created. */
    schemaVersion: integer("schema_version").notNull(),
    /** Number of the newest breaking migration among them: a binary that does not know it must not touch the schema. */
    breakingVersion: integer("breaking_version").notNull().default(0),
    /** `importing`: an archive is being read into it, and nobody finds it before that is done. */
    status: text("status", { enum: ["creating", "importing", "active", "disabled", "erasing"] }).notNull(),
    /** Code of the last failed attempt to migrate the schema, when it was and how many there were; cleared by success. */
    migrationError: text("migration_error"),
    migrationFailedAt: instant("migration_failed_at"),
    migrationAttempts: integer("migration_attempts").notNull().default(0),
    /** When a sync of its folders and conversations last ended; NULL: none has. No index, so that noting it stays cheap. */
    syncedAt: instant("synced_at"),
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

/** What was answered to writes under an idempotency key, noted in the transaction of the write; gone after a day. */
export const idempotencyKeys = recollect.table(
  "idempotency_keys",
  {
    tenantId: uuid("tenant_id").notNull(),
    /** SHA-256 of the actor and the key that the client chose. */
    key: text("key").notNull(),
    /** The agent whose files the answer may name; NULL for what outlives it. */
    agentId: text("agent_id"),
    /** SHA-256 of what the request asked for. */
    fingerprint: text("fingerprint").notNull(),
    /** Not jsonb, which would change the order of its keys. */
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
    // Erasure asks for an agent's entries, eviction for its oldest.
    index("embedding_cache_agent").on(table.tenantId, table.agentId, table.createdAt),
  ],
);

/** Batches of texts that a provider embeds in its own time; a row is there before the provider hears of the batch. */
export const embeddingBatches = recollect.table(
  "embedding_batches",
  {
    /** Also the token by which the batch is known again at the provider. */
    id: uuid("id").primaryKey(),
    tenantId: uuid("tenant_id").notNull(),
    agentId: text("agent_id").notNull(),
    generationId: integer("generation_id").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    providerKey: text("provider_key").notNull(),
    /** `planned`: unknown to the provider. `direct`: came to nothing; until `expiresAt` the generation is embedded without batches. */
    status: text("status", { enum: ["planned", "submitting", "running", "cancelling", "direct"] }).notNull(),
    /** The provider's names of the batch and of the file with its texts; NULL until they are known. */
    remoteId: text("remote_id"),
    inputFile: text("input_file"),
    /** The newest chunk that was there when batches were last planned, and whether some up to it wait for the next one. */
    plannedTo: bigint("planned_to", { mode: "number" }).notNull(),
    backlog: boolean("backlog").notNull(),
    texts: integer("texts").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("embedding_batches_agent").on(table.tenantId, table.agentId)],
);

/** What a batch still owes: an entry goes in the transaction that stores its vector. */
export const embeddingBatchItems = recollect.table(
  "embedding_batch_items",
  {
    batchId: uuid("batch_id")
      .notNull()
      .references(() => embeddingBatches.id, { onDelete: "cascade" }),
    hash: text("hash").notNull(),
    /** Estimated, for a provider that does not count. */
    tokens: integer("tokens").notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.hash] })],
);

/** What was asked of embedding providers, by UTC day; agent "" stands for those that were erased. */
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
    /** Billionths of a US dollar, for the tokens whose price was known. */
    costNanoUsd: count("cost_nano_usd"),
    unpricedTokens: count("unpriced_tokens"),
  },
  (table) => [
    primaryKey({
      columns: [table.tenantId, table.day, table.agentId, table.provider, table.model, table.kind],
    }),
  ],
);
