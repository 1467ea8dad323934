import { customType, index, integer, jsonb, pgSchema, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** The control schema: who exists and where their memory is. Nothing in it refers to a table of an agent's schema. */
export const recollect = pgSchema("recollect");

/** pgvector's `vector` without a fixed number of dimensions: the cache holds every model's vectors. */
const anyVector = customType<{ data: string }>({ dataType: () => "vector" });
const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

export const tenants = recollect.table("tenants", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull().unique(),
  createdAt: instant("created_at").notNull(),
});

export const agents = recollect.table(
  "agents",
  {
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    id: text("id").notNull(),
    schemaName: text("schema_name").notNull().unique(),
    roleName: text("role_name").notNull().unique(),
    settings: jsonb("settings").notNull().default({}),
    /** Number of the newest agent migration that has been applied to the schema; 0 while it is being created. */
    schemaVersion: integer("schema_version").notNull(),
    status: text("status", { enum: ["creating", "active"] }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.id] })],
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
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({
      name: "embedding_cache_pk",
      columns: [table.tenantId, table.provider, table.model, table.providerKey, table.hash],
    }),
    index("embedding_cache_created_at").on(table.tenantId, table.createdAt),
  ],
);
