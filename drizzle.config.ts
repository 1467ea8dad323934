import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./src/db/control/schema.ts",
  schemaFilter: ["recollect"],
  out: "./drizzle",
});
