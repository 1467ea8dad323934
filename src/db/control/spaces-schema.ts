import { integer, text } from "drizzle-orm/pg-core";
import { recollect } from "./schema.ts";

/** Empty schemas with their roles, made ahead for agents to come. A row goes with the agent that takes it. */
export const spareSpaces = recollect.table("spare_spaces", {
  /** The role's name too. */
  schemaName: text("schema_name").primaryKey(),
  /** Number of the newest agent migration that has been applied to it. */
  schemaVersion: integer("schema_version").notNull(),
});
