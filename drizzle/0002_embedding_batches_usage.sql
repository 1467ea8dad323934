CREATE TABLE "recollect"."embedding_batch_items" (
	"batch_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"tokens" integer NOT NULL,
	CONSTRAINT "embedding_batch_items_batch_id_hash_pk" PRIMARY KEY("batch_id","hash")
);
--> statement-breakpoint
CREATE TABLE "recollect"."embedding_batches" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"agent_id" text NOT NULL,
	"generation_id" integer NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"provider_key" text NOT NULL,
	"status" text NOT NULL,
	"remote_id" text,
	"input_file" text,
	"planned_to" bigint NOT NULL,
	"backlog" boolean NOT NULL,
	"texts" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recollect"."embedding_usage" (
	"tenant_id" uuid NOT NULL,
	"day" date NOT NULL,
	"agent_id" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"kind" text NOT NULL,
	"requests" bigint DEFAULT 0 NOT NULL,
	"texts" bigint DEFAULT 0 NOT NULL,
	"tokens" bigint DEFAULT 0 NOT NULL,
	"cost_nano_usd" bigint DEFAULT 0 NOT NULL,
	"unpriced_tokens" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "embedding_usage_tenant_id_day_agent_id_provider_model_kind_pk" PRIMARY KEY("tenant_id","day","agent_id","provider","model","kind")
);
--> statement-breakpoint
DROP INDEX "recollect"."embedding_cache_created_at";--> statement-breakpoint
DROP INDEX "recollect"."embedding_cache_agent";--> statement-breakpoint
ALTER TABLE "recollect"."embedding_batch_items" ADD CONSTRAINT "embedding_batch_items_batch_id_embedding_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "recollect"."embedding_batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "embedding_batches_agent" ON "recollect"."embedding_batches" USING btree ("tenant_id","agent_id");--> statement-breakpoint
CREATE INDEX "embedding_cache_agent" ON "recollect"."embedding_cache" USING btree ("tenant_id","agent_id","created_at");