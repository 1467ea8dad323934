import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPglite } from "../../../src/db/pglite.ts";
import { prepareDatabase } from "../../../src/db/prepare-database.ts";
import { type AnyLine, type ArchiveApp, readLines, startArchiveApp, writeLines } from "../../support/archive-app.ts";
import { checkAgents } from "../../support/check-agent.ts";
import { until } from "../../support/until.ts";

interface Version {
  version: string;
  path: string;
}

/** Returns an agent's history, as the API shows it. */
async function pastOf(app: ArchiveApp, agent: string) {
  const get = async <T = Record<string, unknown>>(path: string) =>
    (await app.call<T>("GET", `/v1/agents/${agent}/${path}`)).body;
  const ofPath = async (path: string) => (await get<{ versions: Version[] }>(`versions?path=${path}`)).versions;
  const versions = (await Promise.all(["plan.md", "gone.md"].map(ofPath))).flat();
  return {
    versions,
    texts: await Promise.all(
      versions.map(async ({ version }) => (await get<{ content: string }>(`versions/${version}`)).content),
    ),
    snapshots: (await get("snapshots")).snapshots,
    changes: (await get("changes?since=2026-01-01T00:00:00Z&limit=1000")).changes,
    difference: await get("snapshots/before/diff"),
    facts: (await get("facts?all=true")).facts,
    usage: await app.usage(agent),
    pieces: (await app.db.executeSql(`SELECT hash FROM "${await schemaOf(app, agent)}".ingested_pieces ORDER BY hash`))
      .rows,
  };
}

async function schemaOf(app: ArchiveApp, agent: string): Promise<string> {
  const { rows } = await app.db.executeSql<{ name: string }>(
    "SELECT schema_name AS name FROM recollect.agents WHERE id = $1",
    [agent],
  );
  return rows[0]?.name ?? "";
}

describe("what an archive carries of the past", () => {
  let app: ArchiveApp;
  let other: ArchiveApp;
  let past: Awaited<ReturnType<typeof pastOf>>;
  const ok = async <T>(method: string, path: string, body?: unknown, on = app) => {
    const answer = await on.call<T>(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  beforeAll(async () => {
    app = await startArchiveApp({ embedder: undefined });
    const db = await openPglite();
    await prepareDatabase(db, new Date(), () => undefined);
    other = await startArchiveApp({ embedder: undefined, on: { db, url: undefined, drop: () => db.close() } });
    await ok("POST", "/v1/agents", { id: "origin" });
    await app.put("plan.md", "\uFEFFThe plan is to walk.", "origin");
    await app.put("gone.md", "This one goes.", "origin");
    await app.store("origin", { text: "Mina lives in Bern", key: "user.city" });
    await app.store("origin", "Mina owns a boat");
    await ok("POST", "/v1/agents/origin/snapshots", { name: "before" });
    await app.put("plan.md", "The plan is to swim.", "origin");
    await app.put("plan.md", "The plan is to fly.", "origin");
    await ok("DELETE", "/v1/agents/origin/files/gone.md");
    await app.store("origin", { text: "Mina lives in Rome", key: "user.city" });
    // After this, the newest fact and its id are in the history alone.
    await ok("DELETE", "/v1/agents/origin/facts/3");
    await ok("PUT", "/v1/bindings", {
      bindings: [{ agentId: "origin", match: { channel: "slack" } }, { agentId: "origin" }],
    });
    const schema = await schemaOf(app, "origin");
    await app.db.executeSql(`CREATE TABLE "${schema}".ingested_pieces (hash text PRIMARY KEY, run_id uuid)`);
    await app.db.executeSql(`INSERT INTO "${schema}".ingested_pieces (hash) VALUES ($1), ($2)`, [
      ...["a".repeat(64), "b".repeat(64)],
    ]);
    const { rows } = await app.db.executeSql<{ role: string }>(
      `SELECT grantee AS role FROM information_schema.role_table_grants WHERE table_schema = $1 AND table_name = 'files' AND grantee <> current_user LIMIT 1`,
      [schema],
    );
    await app.db.executeSql(`GRANT ALL ON "${schema}".ingested_pieces TO "${rows[0]?.role}"`);
    await app.rested();
    // The feed of changes holds back changes that are younger than two seconds.
    await until(async () => {
      past = await pastOf(app, "origin");
      return JSON.stringify(past.changes).includes('"path":"facts/3"');
    });
    expect(past.versions.length).toBe(3);
    expect(past.difference).toMatchObject({ files: { changed: ["plan.md"], removed: ["gone.md"] } });
  });
  afterAll(async () => {
    await app.rested();
    await other.rested();
    const problems = [...(await checkAgents(app.db, () => [])), ...(await checkAgents(other.db, () => []))];
    await other.drop();
    await other.db.close();
    await app.drop();
    expect(problems).toEqual([]);
  });

  test("when files were written, also of an agent without a past", async () => {
    await app.put("a.md", "As it was", "young");
    const [file] = (await ok<{ files: { updatedAt: string }[] }>("GET", "/v1/agents/young/files")).files;
    await app.import(await app.export("young"), "?as=young2");
    const asked = { path: "a.md", asOf: file?.updatedAt };
    expect(await ok("POST", "/v1/agents/young2/tools/memory_get", asked)).toMatchObject({ text: "As it was" });
  });

  test("goes to an embedded database and back, and can be rolled back to there", async () => {
    const archive = await app.export("origin");
    expect(readLines(archive)[0]).toMatchObject({ version: 5 });
    const there = await other.import(archive);
    expect([there.status, there.body]).toMatchObject([201, { versions: 3 }]);
    await other.rested();
    expect(await pastOf(other, "origin")).toEqual(past);
    expect(await ok("GET", "/v1/bindings", undefined, other)).toMatchObject({
      bindings: [{ agentId: "origin", match: { channel: "slack" } }, { agentId: "origin" }],
    });
    const back = await app.import(await other.export("origin"), "?as=back");
    expect(back.status).toBe(201);
    await app.rested();
    expect(await pastOf(app, "back")).toEqual(past);
    // Two archives of one state differ only in the time at which they were made.
    expect(readLines(await other.export("origin")).slice(1)).toEqual(readLines(archive).slice(1));
    const rolledBack = await ok<{ undo: string }>("POST", "/v1/agents/back/snapshots/before/rollback", {});
    expect(await ok("GET", "/v1/agents/back/snapshots/before/diff")).toMatchObject({
      files: { total: 0 },
      facts: { total: 0 },
    });
    expect((await ok<{ content: string }>("GET", "/v1/agents/back/files/gone.md")).content).toBe("This one goes.");
    expect((await ok<{ content: string }>("GET", "/v1/agents/back/files/plan.md")).content).toBe(
      "\uFEFFThe plan is to walk.",
    );
    expect((await app.list("back")).map((fact) => fact.text).sort()).toEqual([
      "Mina lives in Bern",
      "Mina owns a boat",
    ]);
    await ok("POST", `/v1/agents/back/snapshots/${rolledBack.undo}/rollback`, {});
    expect((await app.list("back")).map((fact) => [fact.id, fact.text])).toEqual(
      (await app.list("origin")).map((fact) => [fact.id, fact.text]),
    );
    // A new fact and a new version get numbers that were never used before.
    const [stored] = await app.store("back", "Mina owns a train");
    expect(Number(stored?.id)).toBeGreaterThan(3);
    await app.put("plan.md", "The plan is to stay.", "back");
    const { versions } = await ok<{ versions: Version[] }>("GET", "/v1/agents/back/versions?path=plan.md");
    expect(Number(versions[0]?.version)).toBeGreaterThan(Math.max(...past.versions.map((one) => Number(one.version))));
  });

  test("leaves out settings that have been removed since", async () => {
    const [header, ...lines] = readLines(await app.export("origin"));
    const agent = (settings: object) => ({ ...header, agent: { ...(header?.agent as object), settings } });
    const settings = { facts: { recall: { corpus: "facts", maxFacts: 3 }, duplicateDistance: 0.1 } };
    const { status } = await app.import(writeLines([agent(settings), ...lines]), "?as=earlier");
    expect(status).toBe(201);
    const { own } = await ok<{ own: object }>("GET", "/v1/agents/earlier/settings");
    expect(own).toEqual({ facts: { recall: { maxFacts: 3 } } });
    const unknown = await app.import(writeLines([agent({ facts: { bogus: 1 } }), ...lines]), "?as=unknown");
    expect(unknown.body.error.code).toBe("invalid_settings");
  });

  test("leaves out settings and bindings on demand", async () => {
    const count = async () => (await ok<{ bindings: object[] }>("GET", "/v1/bindings")).bindings.length;
    const before = await count();
    expect((await app.import(await app.export("origin"), "?as=bare&settings=drop")).status).toBe(201);
    expect(await count()).toBe(before);
  });

  test("is of one moment, whatever is written while it is read", async () => {
    await ok("POST", "/v1/agents", { id: "busy" });
    for (let n = 0; n < 6; n++) await app.put(`f${n}.md`, randomBytes(60_000).toString("base64"), "busy");
    await app.put("f9.md", "Said before.", "busy");
    await app.store("busy", { text: "Mina lives in Bern", key: "user.city" });
    await app.call("POST", "/v1/agents/busy/sessions/slack:C1/messages", {
      messages: [{ role: "user", text: "Hello" }],
    });
    const rest = (lines: readonly AnyLine[]) => lines.slice(1).map((line) => JSON.stringify(line));
    const still = rest(readLines(await app.export("busy")));
    const response = await app.runtime.app.request("/v1/agents/busy/archive");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const parts = [(await reader.read()).value as Uint8Array];
    await app.put("f9.md", "Said during it.", "busy");
    await app.put("f3.md", "Said during it too.", "busy");
    await ok("DELETE", "/v1/agents/busy/files/f5.md");
    await app.store("busy", { text: "Mina lives in Rome", key: "user.city" });
    await ok("DELETE", "/v1/agents/busy/facts/1");
    await app.call("POST", "/v1/agents/busy/sessions/slack:C1/messages", {
      messages: [{ role: "user", text: "Again" }],
    });
    await ok("POST", "/v1/agents/busy/snapshots", { name: "during" });
    expect(await ok("GET", "/v1/agents/busy/snapshots")).toMatchObject({ snapshots: [{ name: "during" }] });
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
    expect(rest(readLines(Buffer.concat(parts)))).toEqual(still);
    const held = await app.db.executeSql(`SELECT name FROM "${await schemaOf(app, "busy")}".snapshots`);
    expect(held.rows).toEqual([{ name: "during" }]);
  });

  test("is let go when its reader leaves", async () => {
    await ok("POST", "/v1/agents", { id: "left" });
    for (let n = 0; n < 6; n++) await app.put(`f${n}.md`, randomBytes(60_000).toString("base64"), "left");
    const response = await app.runtime.app.request("/v1/agents/left/archive");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const held = async () =>
      (await app.db.executeSql(`SELECT name FROM "${await schemaOf(app, "left")}".snapshots`)).rows.length;
    expect(await held()).toBe(1);
    await reader.cancel();
    await expect.poll(held).toBe(0);
  });

  describe("is refused when it", () => {
    let lines: AnyLine[];
    beforeAll(async () => {
      lines = readLines(await app.export("origin"));
    });
    const of = (type: string) => lines.findIndex((line) => line.type === type);
    const version = (more: AnyLine) => ({ ...lines[of("version")], ...more });
    const cases: Record<string, (line: AnyLine) => unknown> = {
      "has a version that ends before it begins": () => [version({ since: 900, version: 800 })],
      "has two texts of a file at one time": () => [version({}), version({ version: 901 })],
      "has a version at the path of a session": () => [version({ path: "sessions/slack:C1" })],
      "has a version under a path that climbs": () => [version({ path: "../plan.md" })],
      "has a snapshot with a name that none has": () => [{ ...lines[of("snapshot")], name: ":export-1" }],
      "has a change of no kind": () => [{ ...lines[of("factChange")], kind: "invented" }],
      "has a number without an end": () => [version({ version: 2 ** 60 })],
      "has a binding that matches nothing known": () => [{ type: "binding", match: { colour: "red" } }],
      "has an ingest note that is no hash": () => [{ type: "ingested", pieces: ["x"] }],
    };
    test.each(Object.entries(cases))("%s", async (_, make) => {
      const made = make(lines[0] as AnyLine) as AnyLine[];
      const type = made[0]?.type as string;
      const kept = lines.filter((line) => line.type !== type && line.type !== "end");
      const at = lines.findIndex((line) => line.type === type);
      const end = { ...lines.at(-1), versions: type === "version" ? made.length : 3 };
      const { status, body } = await app.import(writeLines([...kept.toSpliced(at, 0, ...made), end]), "?as=hostile");
      expect([status, body.error.code]).toEqual([400, expect.stringMatching(/^(archive_invalid|invalid_path)$/)]);
      expect((await app.call("GET", "/v1/agents/hostile")).status).toBe(404);
    });

    test("has more snapshots than an agent may have", async () => {
      const one = lines[of("snapshot")] as AnyLine;
      const many = Array.from({ length: 51 }, (_, n) => ({ ...one, name: `s${n}`, seq: 1000 + n }));
      const { body } = await app.import(writeLines(lines.toSpliced(of("snapshot"), 1, ...many)), "?as=hostile");
      expect(body.error.code).toBe("archive_invalid");
    });

    test("has a past, and a file without a number", async () => {
      const bare = lines.map((line) => {
        if (line.type !== "file") return line;
        const { seq: _, born: __, writtenAt: ___, ...file } = line;
        return file;
      });
      expect((await app.import(writeLines(bare), "?as=hostile")).body.error.code).toBe("archive_invalid");
    });
  });
});
