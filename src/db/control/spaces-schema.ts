import { integer, text } from "drizzle-orm/pg-core";
import { recollect } from "./schema.ts";

/**
 * Empty schemas with their roles, made ahead for future agents. A row is deleted when an agent
 * takes the schema.
 */
export const spareSpaces = recollect.table("spare_spaces", {
  /** The name of the schema and of its role. */
  schemaName: text("schema_name").primaryKey(),
  /** The number of the newest agent migration that has been applied to the schema. */
  schemaVersion: integer("schema_version").notNull(),
});
