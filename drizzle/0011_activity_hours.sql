CREATE TABLE "recollect"."activity_hours" (
	"schema_name" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"kind" text NOT NULL,
	"times" bigint NOT NULL,
	"hits" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"empty" bigint NOT NULL,
	"ms" bigint NOT NULL,
	"slowest_ms" integer NOT NULL,
	"latencies" bigint[] NOT NULL,
	CONSTRAINT "activity_hours_schema_name_hour_kind_actor_pk" PRIMARY KEY("schema_name","hour","kind","actor")
);
--> statement-breakpoint
ALTER TABLE "recollect"."agent_activity" ADD COLUMN "failed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."agent_activity" ADD COLUMN "empty" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "recollect"."agent_activity" ADD COLUMN "ms" integer;--> statement-breakpoint
ALTER TABLE "recollect"."agent_activity" ADD COLUMN "slowest_ms" integer;--> statement-breakpoint
ALTER TABLE "recollect"."activity_hours" ADD CONSTRAINT "activity_hours_schema_name_agents_schema_name_fk" FOREIGN KEY ("schema_name") REFERENCES "recollect"."agents"("schema_name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "activity_hours_hour" ON "recollect"."activity_hours" USING btree ("hour");