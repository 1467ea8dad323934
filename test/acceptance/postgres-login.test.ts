import { readFileSync } from "node:fs";
import type { StartedPostgreSqlContainer } from "@testcontainers/postgresql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Findings } from "../../src/client/client.ts";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { needsDocker } from "../support/needs.ts";
import { postgresContainer } from "../support/postgres-container.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

interface ComposeService {
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  privileged?: boolean;
}

describe("docker-compose.yml", () => {
  const compose = parse(readFileSync("docker-compose.yml", "utf8"), { merge: true }) as {
    services: Record<string, ComposeService>;
  };
  // Of the profile monitoring, which test/observe/monitoring-profile.test.ts checks.
  const { postgres, login, prometheus: _, grafana: __, ...ours } = compose.services;

  test("confines every container", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
      expect(service.privileged, name).toBeUndefined();
      for (const port of service.ports ?? []) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    }
    expect(Object.entries(compose.services).filter(([, { cap_add }]) => cap_add)).toEqual([["postgres", postgres]]);
  });

  test("gives the service another login than the superuser, whose password it does not get", () => {
    expect(Object.keys(ours)).toEqual(["migrate", "api", "worker"]);
    for (const [name, { environment }] of Object.entries(ours)) {
      const { username } = new URL((environment?.DATABASE_URL ?? "").replace(/\$\{.*\}/, "x"));
      expect(username, name).toBe("recollect_service");
      expect(username).not.toBe(postgres?.environment?.POSTGRES_USER);
      expect(environment?.POSTGRES_PASSWORD, name).toBe("");
    }
    expect(login?.environment?.PGUSER).toBe(postgres?.environment?.POSTGRES_USER);
  });
});

const OPTIONS = needsDocker("it makes a login with psql on a server of its own");

describe("deploy/postgres-login.sql", OPTIONS, () => {
  let container: StartedPostgreSqlContainer;
  const opened: Database[] = [];
  beforeAll(async () => {
    container = await postgresContainer("pgvector/pgvector:pg17")
      .withUsername("recollect")
      .withDatabase("recollect")
      // Few locks, so that forty agents are as hard on the server as a large fleet.
      .withCommand(["postgres", "-c", "max_locks_per_transaction=16", "-c", "max_connections=30"])
      .withCopyFilesToContainer([{ source: "deploy/postgres-login.sql", target: "/postgres-login.sql" }])
      .start();
  });
  afterAll(async () => {
    for (const db of opened) await db.close();
    await container.stop();
  });

  const psql = async (args: string[], env: Record<string, string> = {}) => {
    const { exitCode, output } = await container.exec(["psql", "-U", "recollect", "-d", "recollect", ...args], { env });
    expect([exitCode, output.match(/ERROR.*/g)]).toEqual([0, null]);
  };
  const makeLogin = (password: string) => psql(["-f", "/postgres-login.sql"], { RECOLLECT_DB_PASSWORD: password });
  const open = (login?: { name: string; password: string }) => {
    const url = new URL(container.getConnectionUri());
    if (login) Object.assign(url, { username: login.name, password: login.password });
    const db = openPostgres({ connectionString: url.href, maxConnections: 4, onIdleError: () => undefined });
    opened.push(db);
    return { db, url: url.href, drop: async () => undefined };
  };
  const othersObjects = async (db: Database) => {
    const { rows } = await db.executeSql(
      `SELECT n.nspname, c.relname FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
        WHERE (nspname ~ '^agent_' OR nspname ~ '^recollect')
          AND (nspowner <> 'recollect_service'::regrole OR c.relowner <> 'recollect_service'::regrole)`,
    );
    return rows;
  };
  const loginOf = async (app: TestApp) =>
    (await app.call<Findings>("GET", "/v1/doctor")).body.findings.find(({ check }) => check === "login");

  test("takes over what a superuser made: it is read, searched, written, migrated and erased as before", async () => {
    const before = open();
    const warnings: string[] = [];
    await prepareDatabase(before.db, new Date(), (message) => void warnings.push(message));
    expect(warnings.join()).toMatch(/recollect is a superuser.*ISOLATION\.md/);
    const old = await startTestApp({ on: before, worker: false });
    expect(await loginOf(old)).toMatchObject({ state: "warning" });
    for (const agent of ["one", "two"]) await old.put("a.md", "The heron waits.", agent);
    await old.call("POST", "/v1/agents/one/facts", { facts: [{ text: "The ferry leaves at noon." }] });
    await old.drop();

    await makeLogin("first");
    // The script runs again at each start of the service.
    await makeLogin("second");
    const after = open({ name: "recollect_service", password: "second" });
    warnings.length = 0;
    await prepareDatabase(after.db, new Date(), (message) => void warnings.push(message));
    expect(warnings.filter((message) => !message.includes("CVE"))).toEqual([]);

    const app = await startTestApp({ on: after });
    try {
      expect(await loginOf(app)).toMatchObject({ state: "ok" });
      await app.rested();
      for (const agent of ["one", "two"]) expect((await app.search("heron", {}, agent)).results[0]?.path).toBe("a.md");
      expect((await app.put("b.md", "The ferry leaves.", "one")).status).toBe(200);
      expect((await app.put("a.md", "The heron waits.", "three")).status).toBe(200);
      expect((await app.call("POST", "/v1/agents/one/reindex", {})).status).toBeLessThan(300);
      await app.rested();
      expect(await app.search("ferry", {}, "one")).toMatchObject({
        results: expect.arrayContaining([expect.anything()]),
      });
      for (const agent of ["two", "three"])
        expect((await app.call("DELETE", `/v1/agents/${agent}`)).status).toBeLessThan(300);
      await app.rested();
      const { rows } = await app.db.executeSql("SELECT nspname FROM pg_namespace WHERE nspname ~ '^agent_'");
      expect(rows).toHaveLength(1);
      expect(await othersObjects(app.db)).toEqual([]);
      await before.db.executeSql("ALTER ROLE recollect_service NOCREATEROLE");
      expect(await app.put("a.md", "The heron waits.", "four")).toMatchObject({
        status: 503,
        body: { error: { code: "database_unsupported", message: expect.stringContaining("CREATEROLE") } },
      });
      warnings.length = 0;
      await prepareDatabase(app.db, new Date(), (message) => void warnings.push(message));
      expect(warnings.join()).toContain("lacks CREATEROLE");
      await before.db.executeSql("ALTER ROLE recollect_service CREATEROLE");
      expect((await app.put("a.md", "The heron waits.", "four")).status).toBe(200);
      expect((await app.call("DELETE", "/v1/agents/four")).status).toBeLessThan(300);
      // A statement that only a superuser may run.
      await expect(app.db.executeSql("COPY (SELECT 1) TO PROGRAM 'true'")).rejects.toMatchObject({ code: "42501" });
    } finally {
      await app.drop();
    }
  });

  test("without CREATEROLE a database that has no agent does not start", async () => {
    const { db } = open();
    await db.executeSql("CREATE ROLE weak LOGIN PASSWORD 'weak'");
    await db.executeSql("CREATE DATABASE weak OWNER weak");
    const url = new URL(container.getConnectionUri());
    Object.assign(url, { pathname: "/weak" });
    const admin = openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
    opened.push(admin);
    await admin.executeSql("CREATE EXTENSION vector");
    Object.assign(url, { username: "weak", password: "weak" });
    const weak = openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
    opened.push(weak);
    await expect(prepareDatabase(weak, new Date(), () => undefined)).rejects.toMatchObject({
      code: "database_unsupported",
      message: expect.stringContaining("ALTER ROLE weak CREATEROLE"),
    });
  });

  test("takes over more tables than one transaction could lock", async () => {
    const schemas = Array.from({ length: 40 }, (_, i) => `agent_${i.toString(16).padStart(12, "0")}`);
    const tables = Array.from({ length: 40 }, (_, i) => `CREATE TABLE t${i} (id int)`).join(" ");
    for (const schema of schemas) await psql(["-c", `CREATE SCHEMA ${schema} ${tables}`]);
    await makeLogin("third");
    expect(await othersObjects(open().db)).toEqual([]);
  });
});
