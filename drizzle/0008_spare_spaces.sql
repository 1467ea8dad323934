CREATE TABLE "recollect"."spare_spaces" (
	"schema_name" text PRIMARY KEY NOT NULL,
	"schema_version" integer NOT NULL
);
