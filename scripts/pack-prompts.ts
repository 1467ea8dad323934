/**
 * Copies the prompts for chat models and their JSON schemas to `dist/`, beside the code that reads
 * them. TypeScript copies only code. Runs in `npm run build`.
 */
import { cpSync, globSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

for (const folder of globSync("**/prompt", { cwd: join(ROOT, "src") }))
  cpSync(join(ROOT, "src", folder), join(ROOT, "dist", folder), { recursive: true });
