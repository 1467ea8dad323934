ALTER TABLE "recollect"."api_keys" ADD COLUMN "shares_rate_of" uuid;--> statement-breakpoint
ALTER TABLE "recollect"."api_keys" ADD COLUMN "shared_requests_per_minute" integer;