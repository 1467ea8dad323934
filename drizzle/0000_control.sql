CREATE SCHEMA IF NOT EXISTS "recollect";
--> statement-breakpoint
CREATE TABLE "recollect"."agents" (
	"tenant_id" uuid NOT NULL,
	"id" text NOT NULL,
	"schema_name" text NOT NULL,
	"role_name" text NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"schema_version" integer NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agents_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "agents_schema_name_unique" UNIQUE("schema_name"),
	CONSTRAINT "agents_role_name_unique" UNIQUE("role_name")
);
--> statement-breakpoint
CREATE TABLE "recollect"."embedding_cache" (
	"tenant_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"provider_key" text NOT NULL,
	"hash" text NOT NULL,
	"embedding" vector NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "embedding_cache_pk" PRIMARY KEY("tenant_id","provider","model","provider_key","hash")
);
--> statement-breakpoint
CREATE TABLE "recollect"."tenants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "tenants_name_unique" UNIQUE("name")
);
--> statement-breakpoint
ALTER TABLE "recollect"."agents" ADD CONSTRAINT "agents_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "recollect"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "embedding_cache_created_at" ON "recollect"."embedding_cache" USING btree ("tenant_id","created_at");