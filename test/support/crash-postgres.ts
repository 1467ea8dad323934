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
/** Room for the clients' data and its log; what is left of it the filler takes. */
const DISK_MB = 512;
const SERVICE = "recollect_service";

/** A Postgres of its own, with a small disk of its own, that can be made to fail in the ways that servers fail. */
export interface CrashPostgres {
  /** The service's database, as a login that is no superuser. */
  url: string;
  db: Database;
  /** Every process of the server ends at once, as in a power failure; what it had not written is made good from its log. */
  kill(): Promise<void>;
  /** Starts it again when it is down, and resolves when it answers. */
  start(): Promise<void>;
  /** Takes all space on the disk until `freeDisk`: the server refuses what needs more. */
  fillDisk(): Promise<void>;
  /** Has the server's log need more of a full disk: the server ends itself, and does not start before there is space. */
  fillLog(): Promise<void>;
  freeDisk(): Promise<void>;
  /** What providers do to a server that nears its limits: it answers, and begins no transaction that writes. */
  setReadOnly(on: boolean): Promise<void>;
  /** Starts the server again as a standby: of a failover the part before `promote`. */
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
  // The volume is in memory, and kept as long as a container has it: this one has it while the server is down.
  const holder = await new GenericContainer(IMAGE)
    .withEntrypoint(["sleep", "infinity"])
    .withBindMounts(binds)
    .withStartupTimeout(60_000)
    .start();
  const run = async (script: string) => {
    const { exitCode, output } = await holder.exec(["bash", "-c", script]);
    if (exitCode !== 0) throw new Error(`${script}: ${output}`);
  };
  // Before anything is filled up: never the machine's own disk.
  await run(`test "$(stat -f -c %T ${DATA})" = tmpfs`);
  const container = await postgresContainer(IMAGE)
    // The port that Docker chooses by itself is another one after a restart.
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
    // A server that gave up for want of space ends: whoever looks after it starts it again.
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
      // Again, as Postgres may give something back meanwhile.
      run(
        `until [ "$(df --output=avail ${DATA} | tail -1)" -eq 0 ]; do head -c ${DISK_MB}M /dev/zero >> ${DATA}/filler || true; done`,
      ),
    fillLog: async () => {
      // A few segments may be there in advance; the next one cannot be made.
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

/** The service's login and database, as docs/ISOLATION.md wants them. */
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
