/**
 * Copies the prompts for chat models and their JSON schemas to `dist/`, beside the code that reads
 * them. TypeScript copies only code. Runs in `npm run build`.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

cpSync(join(ROOT, "src/ingest/capture/prompt"), join(ROOT, "dist/ingest/capture/prompt"), { recursive: true });
