/**
 * Puts an embedded database into `dist`, 1.5 MB of it, with the tables of the service and of its queue and nothing in them, so that a
 * new one begins as its copy: making it takes PGlite three seconds. One that is older than the code is brought up to date like any
 * database. PGlite's own package of this kind (`pglite-prepopulatedfs`) fits one version only, and is behind.
 * Run by `npm run build`, after an install in a clone, and before the tests.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { createLogger } from "../src/base/logger.ts";
import { dumpPglite } from "../src/db/dump-pglite.ts";
import { migrateControlSchema } from "../src/db/migrate/control.ts";
import { EMPTY_DATABASE, openPglite } from "../src/db/pglite.ts";
import { createMetrics } from "../src/observe/metrics.ts";
import { startQueue } from "../src/queue/queue.ts";

/** The best one takes fifteen times as long for a tenth less. */
const QUALITY = 9;

const folder = mkdtempSync(join(tmpdir(), "recollect-database-"));
const db = await openPglite(folder, null);
await db.executeSql("CREATE EXTENSION vector");
await migrateControlSchema(db);
const queue = await startQueue(db, { logger: createLogger("warn"), metrics: createMetrics(), supervise: false });
await queue.stop();
// What other databases are made of: here there is one only, and they are a third of what has to be unpacked.
await db.executeSql("UPDATE pg_database SET datistemplate = false WHERE datistemplate");
for (const template of ["template0", "template1"]) await db.executeSql(`DROP DATABASE ${template}`);
await db.close();
const dump = Buffer.from(await (await dumpPglite(folder)).arrayBuffer());
rmSync(folder, { recursive: true });
mkdirSync(new URL(".", EMPTY_DATABASE), { recursive: true });
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
const params = { [BROTLI_PARAM_QUALITY]: QUALITY, [BROTLI_PARAM_LGWIN]: 24 };
writeFileSync(EMPTY_DATABASE, brotliCompressSync(dump, { params }));
