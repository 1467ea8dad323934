ALTER TABLE "recollect"."agent_activity" ADD COLUMN "public_id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."audit_log" ADD COLUMN "public_id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_log_public_id" ON "recollect"."audit_log" USING btree ("public_id");