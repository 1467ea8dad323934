import { readFileSync } from "node:fs";
import { PostgreSqlContainer, type StartedPostgreSqlContainer } from "@testcontainers/postgresql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Database } from "../../src/db/database.ts";
import { loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { diagnoseDatabase } from "../../src/service/doctor/diagnose-database.ts";
import { needsDocker } from "../support/needs.ts";
import { startTestApp } from "../support/test-app.ts";

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
  const { postgres, login, ...ours } = compose.services;

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
    container = await new PostgreSqlContainer("pgvector/pgvector:pg17")
      .withUsername("recollect")
      .withDatabase("recollect")
      .withCopyFilesToContainer([{ source: "deploy/postgres-login.sql", target: "/postgres-login.sql" }])
      .start();
  });
  afterAll(async () => {
    for (const db of opened) await db.close();
    await container.stop();
  });

  const makeLogin = async (password: string) => {
    const { exitCode, output } = await container.exec(
      ["psql", "-U", "recollect", "-d", "recollect", "-f", "/postgres-login.sql"],
      { env: { RECOLLECT_DB_PASSWORD: password } },
    );
    expect([exitCode, output.match(/ERROR.*/g)]).toEqual([0, null]);
  };
  const open = (login?: { name: string; password: string }) => {
    const url = new URL(container.getConnectionUri());
    if (login) Object.assign(url, { username: login.name, password: login.password });
    const db = openPostgres({ connectionString: url.href, maxConnections: 4, onIdleError: () => undefined });
    opened.push(db);
    return { db, url: url.href, drop: async () => undefined };
  };
  const loginOf = async (db: Database) =>
    (await diagnoseDatabase(db, { kind: "postgres", migrations: loadAgentMigrations(), now: new Date() })).find(
      ({ check }) => check === "login",
    );

  test("takes over what a superuser made: it is read, searched, written, migrated and erased as before", async () => {
    const before = open();
    const warnings: string[] = [];
    await prepareDatabase(before.db, new Date(), (message) => void warnings.push(message));
    expect(warnings.join()).toMatch(/recollect is a superuser.*ISOLATION\.md/);
    expect(await loginOf(before.db)).toMatchObject({ state: "warning" });
    const old = await startTestApp({ on: before, worker: false });
    for (const agent of ["one", "two"]) await old.put("a.md", "The heron waits.", agent);
    await old.call("POST", "/v1/agents/one/facts", { facts: [{ text: "The ferry leaves at noon." }] });
    await old.drop();

    await makeLogin("first");
    // Whoever starts the service again runs it again.
    await makeLogin("second");
    const after = open({ name: "recollect_service", password: "second" });
    warnings.length = 0;
    await prepareDatabase(after.db, new Date(), (message) => void warnings.push(message));
    expect(warnings.filter((message) => !message.includes("CVE"))).toEqual([]);
    expect(await loginOf(after.db)).toMatchObject({ state: "ok" });

    const app = await startTestApp({ on: after });
    try {
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
      const left = await app.db.executeSql(
        `SELECT nspname FROM pg_namespace
          WHERE (nspname ~ '^agent_' OR nspname ~ '^recollect') AND nspowner <> 'recollect_service'::regrole`,
      );
      expect(left.rows).toEqual([]);
      // What only a superuser may.
      await expect(app.db.executeSql("COPY (SELECT 1) TO PROGRAM 'true'")).rejects.toMatchObject({ code: "42501" });
    } finally {
      await app.drop();
    }
  });
});
