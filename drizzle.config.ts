import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: [
    "./src/db/control/schema.ts",
    "./src/db/control/links-schema.ts",
    "./src/db/control/log-schema.ts",
    "./src/db/control/spaces-schema.ts",
  ],
  schemaFilter: ["recollect"],
  out: "./drizzle",
});
