CREATE TABLE "recollect"."api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"agent_id" text,
	"requests_per_minute" integer,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_prefix_unique" UNIQUE("prefix")
);
--> statement-breakpoint
CREATE TABLE "recollect"."audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "recollect"."audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"tenant_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recollect"."bindings" (
	"tenant_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"agent_id" text NOT NULL,
	"match" jsonb NOT NULL,
	CONSTRAINT "bindings_tenant_id_position_pk" PRIMARY KEY("tenant_id","position")
);
--> statement-breakpoint
CREATE TABLE "recollect"."erasure_receipts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"agent_id" text NOT NULL,
	"actor" text NOT NULL,
	"erased_at" timestamp with time zone NOT NULL,
	"counts" jsonb NOT NULL,
	"path_hashes" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recollect"."rate_limits" (
	"key" varchar(255) PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE TABLE "recollect"."usage" (
	"tenant_id" uuid NOT NULL,
	"agent_id" text NOT NULL,
	"files" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"chunks" bigint DEFAULT 0 NOT NULL,
	"facts" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_tenant_id_agent_id_pk" PRIMARY KEY("tenant_id","agent_id")
);
--> statement-breakpoint
ALTER TABLE "recollect"."agents" ADD COLUMN "name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."agents" ADD COLUMN "limits" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."agents" ADD COLUMN "breaking_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."agents" ADD COLUMN "migration_error" text;--> statement-breakpoint
ALTER TABLE "recollect"."agents" ADD COLUMN "migration_failed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "recollect"."agents" ADD COLUMN "migration_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."embedding_cache" ADD COLUMN "agent_id" text;--> statement-breakpoint
ALTER TABLE "recollect"."tenants" ADD COLUMN "settings" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."tenants" ADD COLUMN "limits" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."tenants" ADD COLUMN "disabled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "recollect"."api_keys" ADD CONSTRAINT "api_keys_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "recollect"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recollect"."bindings" ADD CONSTRAINT "bindings_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "recollect"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_tenant" ON "recollect"."api_keys" USING btree ("tenant_id","agent_id");--> statement-breakpoint
CREATE INDEX "audit_log_tenant" ON "recollect"."audit_log" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "erasure_receipts_tenant" ON "recollect"."erasure_receipts" USING btree ("tenant_id","erased_at");--> statement-breakpoint
CREATE INDEX "rate_limits_expire" ON "recollect"."rate_limits" USING btree ("expire");--> statement-breakpoint
CREATE INDEX "agents_schema_version" ON "recollect"."agents" USING btree ("schema_version");--> statement-breakpoint
CREATE INDEX "embedding_cache_agent" ON "recollect"."embedding_cache" USING btree ("tenant_id","agent_id");--> statement-breakpoint
ALTER TABLE "recollect"."embedding_cache" DROP CONSTRAINT "embedding_cache_pk";
--> statement-breakpoint
ALTER TABLE "recollect"."embedding_cache" ADD CONSTRAINT "embedding_cache_pk" PRIMARY KEY("tenant_id","hash","provider","model","provider_key");