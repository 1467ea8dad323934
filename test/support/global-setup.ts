import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getContainerRuntimeClient } from "testcontainers";
import type { ProvidedContext } from "vitest";
import type { TestProject } from "vitest/node";
import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Database } from "../../src/db/database.ts";
import { dumpPglite } from "../../src/db/dump-pglite.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { openPglite } from "../../src/db/pglite.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { startQueue } from "../../src/queue/queue.ts";
import { loadFeatures } from "../../src/start/load-features.ts";
import { serviceUrlOf } from "./citus.ts";
import { createExtension } from "./create-extension.ts";
import { postgresContainer } from "./postgres-container.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server on which databases are made, or undefined for PGlite. */
    serverUrl: string | undefined;
    /**
     * The login that owns the tests' databases and that the service runs as. It is not a superuser
     * if the server allows making one.
     */
    serviceUrl: string | undefined;
    /**
     * Whether the server is a cluster's coordinator, on which `recollect cluster init` makes the
     * databases.
     */
    onCluster: boolean;
    /** The file that databases are copied from, or undefined for Postgres. */
    pgliteTemplate: string | undefined;
  }
}

export const TEMPLATE = "recollect_template";
const SERVICE = "recollect_service";
const IMAGE = "pgvector/pgvector:pg17";

interface RunDatabase {
  provided: Pick<ProvidedContext, "serverUrl" | "serviceUrl" | "onCluster" | "pgliteTemplate">;
  stop?: () => Promise<void>;
}

/** Each project loads its own copy of this module, so the promise is kept outside of modules. */
const ofRun = globalThis as { recollectRunDatabase?: Promise<RunDatabase> };

/** Gives a project the database of this run, which the first project prepares for all of them. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const isFirst = ofRun.recollectRunDatabase === undefined;
  ofRun.recollectRunDatabase ??= prepareRunDatabase();
  const { provided, stop } = await ofRun.recollectRunDatabase;
  project.provide("serverUrl", provided.serverUrl);
  project.provide("serviceUrl", provided.serviceUrl);
  project.provide("onCluster", provided.onCluster);
  project.provide("pgliteTemplate", provided.pgliteTemplate);
  return isFirst ? stop : undefined;
}

/**
 * Chooses the database of this run, prints the choice, and prepares a template that every test file
 * clones: RECOLLECT_TEST_DB=pglite, or =citus with TEST_CITUS_URL, else TEST_DATABASE_URL, else a
 * container if a Docker engine answers, else PGlite.
 */
async function prepareRunDatabase(): Promise<RunDatabase> {
  const { RECOLLECT_TEST_DB, TEST_CITUS_URL } = process.env;
  const none = { serverUrl: undefined, serviceUrl: undefined, onCluster: false, pgliteTemplate: undefined };
  if (RECOLLECT_TEST_DB === "citus") {
    if (!TEST_CITUS_URL) throw new Error("RECOLLECT_TEST_DB=citus needs TEST_CITUS_URL.");
    const serverUrl = say("the cluster of TEST_CITUS_URL", TEST_CITUS_URL);
    return { provided: { ...none, serverUrl, serviceUrl: serviceUrlOf(TEST_CITUS_URL), onCluster: true } };
  }
  const server = await chooseServer();
  if (!server) return preparePglite(none);
  const serviceUrl = await createServiceLogin(server.url);
  await prepareTemplate(server.url, serviceUrl);
  return { provided: { ...none, serverUrl: server.url, serviceUrl }, stop: server.stop };
}

async function preparePglite(none: RunDatabase["provided"]): Promise<RunDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-template-"));
  const db = await openPglite(folder);
  // Each database clears its shared memory when it opens. The usual 128 MB take a seventh of the
  // processor time of opening one.
  await db.executeSql("ALTER SYSTEM SET shared_buffers = '8MB'");
  await prepare(db);
  const file = join(folder, "template.tar");
  await writeFile(file, (await dumpPglite(folder)).stream());
  return { provided: { ...none, pgliteTemplate: file }, stop: () => rm(folder, { recursive: true }) };
}

async function chooseServer(): Promise<{ url: string; stop: () => Promise<void> } | undefined> {
  const { RECOLLECT_TEST_DB, TEST_DATABASE_URL } = process.env;
  if (RECOLLECT_TEST_DB === "pglite") return say("PGlite (RECOLLECT_TEST_DB=pglite)", undefined);
  if (TEST_DATABASE_URL)
    return say("the Postgres of TEST_DATABASE_URL", { url: TEST_DATABASE_URL, stop: async () => undefined });
  if (!(await dockerAnswers()))
    return say("PGlite (no Docker engine answers and TEST_DATABASE_URL is not set)", undefined);
  const container = await postgresContainer(IMAGE)
    .withCommand(["postgres", "-c", "max_connections=300", "-c", "fsync=off", "-c", "full_page_writes=off"])
    .start();
  return say(`Postgres in a container of ${IMAGE}`, {
    url: container.getConnectionUri(),
    stop: async () => {
      await container.stop();
    },
  });
}

function say<T>(which: string, server: T): T {
  process.stdout.write(`Test database: ${which}\n`);
  return server;
}

async function dockerAnswers(): Promise<boolean> {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates the service's login as docs/ISOLATION.md describes it, so that the tests run without a
 * superuser. If the login of TEST_DATABASE_URL may not create another one, the tests use that login
 * itself.
 */
async function createServiceLogin(url: string): Promise<string> {
  const admin = openPostgres({ connectionString: url, maxConnections: 1, onIdleError: () => undefined });
  try {
    const { rows } = await admin.executeSql<{ super: boolean }>(
      "SELECT rolsuper AS super FROM pg_roles WHERE rolname = current_user",
    );
    if (!rows[0]?.super) return say("the server's own login, which may not create another", url);
    const known = await admin.executeSql("SELECT 1 FROM pg_roles WHERE rolname = $1", [SERVICE]);
    // The login stays on a server that is used again. Its password must not be guessable, and
    // parallel runs need the same one.
    const password = createHash("sha256").update(url).digest("hex");
    await admin.executeSql(
      `${known.rows.length === 0 ? "CREATE" : "ALTER"} ROLE ${SERVICE} LOGIN CREATEROLE NOSUPERUSER NOCREATEDB NOREPLICATION NOBYPASSRLS PASSWORD '${password}'`,
    );
    const service = new URL(url);
    service.username = SERVICE;
    service.password = password;
    return say(`as ${SERVICE}, which is no superuser`, service.href);
  } finally {
    await admin.close();
  }
}

async function prepareTemplate(url: string, serviceUrl: string): Promise<void> {
  const onIdleError = () => undefined;
  const admin = openPostgres({ connectionString: url, maxConnections: 2, onIdleError });
  await admin.executeSql(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`);
  await admin.executeSql(`CREATE DATABASE ${TEMPLATE} OWNER "${decodeURIComponent(new URL(serviceUrl).username)}"`);
  await createExtension(url, TEMPLATE);
  const target = new URL(serviceUrl);
  target.pathname = `/${TEMPLATE}`;
  const db = openPostgres({ connectionString: target.href, maxConnections: 4, onIdleError });
  await prepare(db);
  await admin.close();
}

/** Makes everything that a start of the service makes in an empty database. */
async function prepare(db: Database): Promise<void> {
  await prepareDatabase(db, new Date(), () => undefined);
  const { kinds } = await loadFeatures(readConfig({}));
  const queue = await startQueue(db, {
    logger: createLogger("silent"),
    metrics: createMetrics(),
    kinds,
    supervise: false,
  });
  await queue.stop();
  await db.close();
}
