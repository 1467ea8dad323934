CREATE TABLE "recollect"."idempotency_keys" (
	"tenant_id" uuid NOT NULL,
	"key" text NOT NULL,
	"agent_id" text,
	"fingerprint" text NOT NULL,
	"answer" json NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_tenant_id_key_pk" PRIMARY KEY("tenant_id","key")
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "recollect"."idempotency_keys" USING btree ("created_at");