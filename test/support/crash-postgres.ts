import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { GenericContainer, getContainerRuntimeClient } from "testcontainers";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { createExtension } from "./create-extension.ts";
import { postgresContainer } from "./postgres-container.ts";
import { until } from "./until.ts";

const IMAGE = "pgvector/pgvector:pg17";
const DATA = "/var/lib/postgresql/data";
/** Room for the clients' data and the server's log. The filler takes the rest of the disk. */
const DISK_MB = 512;
const SERVICE = "recollect_service";

/**
 * A separate Postgres server with a small disk of its own, which can be made to fail in the ways in
 * which servers fail.
 */
export interface CrashPostgres {
  /** The service's database, with a login that is not a superuser. */
  url: string;
  db: Database;
  /**
   * Ends every process of the server at once, as in a power failure. The server recovers unwritten
   * pages from its log.
   */
  kill(): Promise<void>;
  /** Starts the server again if it is down, and resolves when it answers. */
  start(): Promise<void>;
  /** Takes all space on the disk until `freeDisk`: the server refuses statements that need more. */
  fillDisk(): Promise<void>;
  /**
   * Makes the server's log need more of a full disk. The server then ends, and does not start
   * before there is space.
   */
  fillLog(): Promise<void>;
  freeDisk(): Promise<void>;
  /**
   * Does what providers do to a server that nears its limits: it answers, but begins no transaction
   * that writes.
   */
  setReadOnly(on: boolean): Promise<void>;
  /** Starts the server again as a standby, which is the part of a failover before `promote`. */
  demote(): Promise<void>;
  promote(): Promise<void>;
  stop(): Promise<void>;
}

export async function startCrashPostgres(): Promise<CrashPostgres> {
  const { container: docker } = await getContainerRuntimeClient();
  const name = `recollect-crash-${randomBytes(6).toString("hex")}`;
  await docker.dockerode.createVolume({
    Name: name,
    Driver: "local",
    DriverOpts: { type: "tmpfs", device: "tmpfs", o: `size=${DISK_MB}m` },
  });
  const binds = [{ source: name, target: DATA }];
  // The volume is in memory and lives as long as a container uses it. This container holds it while
  // the server is down.
  const holder = await new GenericContainer(IMAGE)
    .withEntrypoint(["sleep", "infinity"])
    .withBindMounts(binds)
    .withStartupTimeout(60_000)
    .start();
  const run = async (script: string) => {
    const { exitCode, output } = await holder.exec(["bash", "-c", script]);
    if (exitCode !== 0) throw new Error(`${script}: ${output}`);
  };
  // Checks the file system before filling it, so that the machine's own disk is never filled.
  await run(`test "$(stat -f -c %T ${DATA})" = tmpfs`);
  const container = await postgresContainer(IMAGE)
    // A port that Docker chooses by itself changes after a restart.
    .withExposedPorts({ container: 5432, host: await freePort() })
    .withBindMounts(binds)
    .withCommand(["postgres", "-c", "max_connections=200", "-c", "max_wal_size=128MB", "-c", "shared_buffers=64MB"])
    .start();
  const adminUrl = container.getConnectionUri();
  const url = await createServiceDatabase(adminUrl);
  const db = openPostgres({ connectionString: url, maxConnections: 4, onIdleError: () => undefined });
  const admin = openPostgres({ connectionString: adminUrl, maxConnections: 1, onIdleError: () => undefined });
  const server = docker.getById(container.getId());
  const answers = async () => {
    // A server that gave up for want of space ends; this starts it again, as an operator would.
    if (!(await server.inspect()).State.Running) await server.start().catch(() => undefined);
    return admin.executeSql("SELECT 1").then(
      () => true,
      () => false,
    );
  };
  const kill = async () => {
    if ((await server.inspect()).State.Running) await server.kill({ signal: "SIGKILL" });
  };
  const start = () => until(answers, "Postgres to answer");
  return {
    url,
    db,
    kill,
    start,
    fillDisk: () =>
      // Repeats, because Postgres may free some space meanwhile.
      run(
        `until [ "$(df --output=avail ${DATA} | tail -1)" -eq 0 ]; do head -c ${DISK_MB}M /dev/zero >> ${DATA}/filler || true; done`,
      ),
    fillLog: async () => {
      // A few segments may exist in advance; the next one cannot be made.
      const next = "SELECT pg_logical_emit_message(true, 'fill', repeat('x', 100)), pg_switch_wal()";
      for (let failed = false; !failed; )
        failed = await admin.executeSql(next).then(
          () => false,
          () => true,
        );
    },
    freeDisk: () => run(`rm -f ${DATA}/filler`),
    setReadOnly: async (on) => {
      await admin.executeSql(`ALTER SYSTEM SET default_transaction_read_only = ${on ? "on" : "off"}`);
      await admin.executeSql("SELECT pg_reload_conf()");
      const shown = () =>
        admin.executeSql<{ on: boolean }>("SELECT current_setting('transaction_read_only') = 'on' AS on");
      await until(async () => (await shown()).rows[0]?.on === on, "the setting to be read");
    },
    demote: async () => {
      await kill();
      await run(`touch ${DATA}/standby.signal && chown --reference=${DATA}/PG_VERSION ${DATA}/standby.signal`);
      await start();
    },
    promote: async () => {
      await admin.executeSql("SELECT pg_promote()");
    },
    stop: async () => {
      await db.close();
      await admin.close();
      await container.stop();
      await holder.stop({ timeout: 0 });
      await docker.dockerode.getVolume(name).remove();
    },
  };
}

/** Makes the service's login and database as docs/ISOLATION.md requires. */
async function createServiceDatabase(adminUrl: string): Promise<string> {
  const admin = openPostgres({ connectionString: adminUrl, maxConnections: 1, onIdleError: () => undefined });
  await admin.executeSql(`CREATE ROLE ${SERVICE} LOGIN CREATEROLE PASSWORD '${SERVICE}'`);
  await admin.executeSql(`CREATE DATABASE ${SERVICE} OWNER ${SERVICE}`);
  await admin.close();
  await createExtension(adminUrl, SERVICE);
  const url = new URL(adminUrl);
  url.username = SERVICE;
  url.password = SERVICE;
  url.pathname = `/${SERVICE}`;
  return url.href;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
