/**
 * Puts an embedded database beside the built code, 1.6 MB of it, with the tables of the service and of its queue and nothing in them,
 * so that a new one begins as its copy: making it takes PGlite three seconds. PGlite's own package of this kind
 * (`pglite-prepopulatedfs`) fits one version only, and is behind. Run by `npm run build`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { createLogger } from "../src/base/logger.ts";
import { migrateControlSchema } from "../src/db/migrate/control.ts";
import { dumpPglite, EMPTY_DATABASE, openPglite } from "../src/db/pglite.ts";
import { createMetrics } from "../src/observe/metrics.ts";
import { startQueue } from "../src/queue/queue.ts";

const folder = mkdtempSync(join(tmpdir(), "recollect-database-"));
const db = await openPglite(folder);
await db.executeSql("CREATE EXTENSION vector");
await migrateControlSchema(db);
const queue = await startQueue(db, { logger: createLogger("warn"), metrics: createMetrics(), supervise: false });
await queue.stop();
await db.close();
const dump = Buffer.from(await (await dumpPglite(folder)).arrayBuffer());
rmSync(folder, { recursive: true });
const to = join(import.meta.dirname, "../dist/db", EMPTY_DATABASE);
mkdirSync(dirname(to), { recursive: true });
writeFileSync(to, brotliCompressSync(dump, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }));
