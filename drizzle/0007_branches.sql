CREATE TABLE "recollect"."branches" (
	"schema_name" text PRIMARY KEY NOT NULL,
	"origin_schema" text NOT NULL,
	"branched_at" timestamp with time zone,
	"copied" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "recollect"."branches" ADD CONSTRAINT "branches_schema_name_agents_schema_name_fk" FOREIGN KEY ("schema_name") REFERENCES "recollect"."agents"("schema_name") ON DELETE cascade ON UPDATE no action;