CREATE TABLE "recollect"."branches" (
	"schema_name" text PRIMARY KEY NOT NULL,
	"origin_schema" text NOT NULL,
	"branched_at" timestamp with time zone,
	"past_at" timestamp with time zone,
	"snapshot" text,
	"copied" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recollect"."shares" (
	"reader_schema" text NOT NULL,
	"sharer_schema" text NOT NULL,
	"folders" text[] NOT NULL,
	"sessions" boolean NOT NULL,
	"offered_at" timestamp with time zone NOT NULL,
	"taken_at" timestamp with time zone,
	CONSTRAINT "shares_reader_schema_sharer_schema_pk" PRIMARY KEY("reader_schema","sharer_schema")
);
--> statement-breakpoint
ALTER TABLE "recollect"."branches" ADD CONSTRAINT "branches_schema_name_agents_schema_name_fk" FOREIGN KEY ("schema_name") REFERENCES "recollect"."agents"("schema_name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recollect"."shares" ADD CONSTRAINT "shares_reader_schema_agents_schema_name_fk" FOREIGN KEY ("reader_schema") REFERENCES "recollect"."agents"("schema_name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recollect"."shares" ADD CONSTRAINT "shares_sharer_schema_agents_schema_name_fk" FOREIGN KEY ("sharer_schema") REFERENCES "recollect"."agents"("schema_name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shares_sharer" ON "recollect"."shares" USING btree ("sharer_schema");