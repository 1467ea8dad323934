CREATE TABLE "recollect"."agent_activity" (
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "recollect"."agent_activity_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"schema_name" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"kind" text NOT NULL,
	"times" integer NOT NULL,
	"hits" integer NOT NULL,
	CONSTRAINT "agent_activity_schema_name_id_pk" PRIMARY KEY("schema_name","id")
);
--> statement-breakpoint
ALTER TABLE "recollect"."agent_activity" ADD CONSTRAINT "agent_activity_schema_name_agents_schema_name_fk" FOREIGN KEY ("schema_name") REFERENCES "recollect"."agents"("schema_name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_activity_at" ON "recollect"."agent_activity" USING btree ("at");