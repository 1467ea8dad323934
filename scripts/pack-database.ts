/**
 * Puts an embedded database of 1.5 MB into `dist`. It has the tables of the service and of its
 * queue, without rows. A new database begins as a copy of it, because making one takes PGlite three
 * seconds. A copy that is older than the code is migrated like any database. PGlite's own package
 * of this kind (`pglite-prepopulatedfs`) fits only one version of PGlite, and is out of date.
 * Runs in `npm run build`, after an install in a clone, and before the tests.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { createLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config/config.ts";
import { dumpPglite } from "../src/db/dump-pglite.ts";
import { migrateControlSchema } from "../src/db/migrate/control.ts";
import { EMPTY_DATABASE, openPglite } from "../src/db/pglite.ts";
import { createMetrics } from "../src/observe/metrics.ts";
import { startQueue } from "../src/queue/queue.ts";
import { loadFeatures } from "../src/start/load-features.ts";

/** The Brotli quality. The best quality takes fifteen times as long and saves a tenth. */
const QUALITY = 9;

const folder = mkdtempSync(join(tmpdir(), "recollect-database-"));
const db = await openPglite(folder, null);
await db.executeSql("CREATE EXTENSION vector");
await migrateControlSchema(db);
const { kinds } = await loadFeatures(readConfig({}));
const queue = await startQueue(db, { logger: createLogger("warn"), metrics: createMetrics(), kinds, supervise: false });
await queue.stop();
// Postgres makes other databases from the templates. Here there is only one database, and the
// templates are a third of the data to unpack.
await db.executeSql("UPDATE pg_database SET datistemplate = false WHERE datistemplate");
for (const template of ["template0", "template1"]) await db.executeSql(`DROP DATABASE ${template}`);
await db.close();
const dump = Buffer.from(await (await dumpPglite(folder)).arrayBuffer());
rmSync(folder, { recursive: true });
mkdirSync(new URL(".", EMPTY_DATABASE), { recursive: true });
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
const params = { [BROTLI_PARAM_QUALITY]: QUALITY, [BROTLI_PARAM_LGWIN]: 24 };
writeFileSync(EMPTY_DATABASE, brotliCompressSync(dump, { params }));
