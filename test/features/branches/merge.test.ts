import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { branchOf, consistent } from "../../support/branches.ts";
import { needsPostgres } from "../../support/needs.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

interface Difference {
  path?: string;
  text?: string;
  here: string;
  there: string;
  conflict: boolean;
}
interface Compared {
  files: Difference[];
  facts: Difference[];
  conflicts: number;
  merged: boolean;
  since: string | null;
}

describe("a branch and the agent that it was made of", () => {
  let app: TestApp;
  let number = 0;
  let main: string;
  let branch: string;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());
  beforeEach(async () => {
    number++;
    [main, branch] = [`main-${number}`, `try-${number}`];
    await app.call("POST", `/v1/agents/${main}/files`, {
      put: ["a", "b", "c", "d"].map((name) => ({ path: `${name}.md`, content: `The note ${name} of the origin.` })),
    });
    await fact(main, { text: "The user's name is Ada.", key: "user.name" });
    await fact(main, { text: "Tea is served at four." });
    await app.embedded(main);
    await branchOf(app, main, branch);
  });

  const fact = (agent: string, one: object) => app.call("POST", `/v1/agents/${agent}/facts`, { facts: [one] });
  const diff = async () => (await app.call<Compared>("GET", `/v1/agents/${branch}/diff/${main}`)).body;
  const merge = (more: object = {}) =>
    app.call<Compared>("POST", `/v1/agents/${branch}/merge`, { into: main, ...more });
  const text = async (agent: string, path: string) =>
    (await app.call<{ content?: string }>("GET", `/v1/agents/${agent}/files/${path}`)).body.content;
  const facts = async (agent: string) =>
    (
      await app.call<{ facts: { text: string; validTo: string | null }[] }>("GET", `/v1/agents/${agent}/facts?all=true`)
    ).body.facts
      .map((one) => one.text)
      .sort();

  test("differ in nothing at first", async () => {
    expect(await diff()).toMatchObject({ files: [], facts: [], since: expect.any(String) });
    expect((await merge()).body).toMatchObject({ merged: true, files: [], facts: [] });
  });

  test("are compared by who changed what since", async () => {
    await app.put("a.md", "Changed in the branch.", branch);
    await app.put("b.md", "Changed in the origin.", main);
    await app.put("new.md", "New in the branch.", branch);
    await app.call("DELETE", `/v1/agents/${branch}/files/c.md`);
    await app.put("d.md", "Changed in the branch.", branch);
    await app.put("d.md", "Changed in the origin.", main);
    await fact(branch, { text: "Coffee is served at nine." });
    const { files, facts: differing } = await diff();
    expect(files.map(({ path, here, there, conflict }) => [path, here, there, conflict])).toEqual([
      ["a.md", "changed", "none", false],
      ["b.md", "none", "changed", false],
      ["c.md", "deleted", "none", false],
      ["d.md", "changed", "changed", true],
      ["new.md", "added", "none", false],
    ]);
    expect(differing).toEqual([
      { text: "Coffee is served at nine.", key: null, here: "added", there: "none", conflict: false },
    ]);
  });

  test("are merged: files, facts and what ended them, and found then", async () => {
    await app.put("a.md", "The walrus came in the branch.", branch);
    await app.put("new.md", "New in the branch.", branch);
    await app.call("DELETE", `/v1/agents/${branch}/files/c.md`);
    await app.put("b.md", "Changed in the origin.", main);
    await fact(main, { text: "The origin has learnt this." });
    await fact(branch, { text: "The user's name is Grace.", key: "user.name" });
    const { body } = await merge();
    expect([body.files.length, body.facts.length, body.conflicts]).toEqual([3, 1, 0]);
    expect(await text(main, "a.md")).toBe("The walrus came in the branch.");
    expect(await text(main, "b.md")).toBe("Changed in the origin.");
    expect(await text(main, "c.md")).toBeUndefined();
    expect(await text(main, "new.md")).toBe("New in the branch.");
    const { results } = await app.search("user's name", { minScore: 0, corpus: "facts" }, main);
    expect(results[0]).toMatchObject({ fact: { replaced: "The user's name is Ada." } });
    expect((await app.search("walrus", {}, main)).results[0]?.path).toBe("a.md");
    // After one merge no change is left to merge.
    expect((await diff()).files.map((one) => one.path)).toEqual(["b.md"]);
    expect((await merge()).body).toMatchObject({ files: [], facts: [] });
    await consistent(app);
    const usage = async () => (await app.call<{ usage: object }>("GET", `/v1/agents/${main}`)).body.usage;
    expect(await usage()).toMatchObject({ files: 4, facts: 4 });
  });

  test("forget what the branch forgot", async () => {
    await app.call("DELETE", `/v1/agents/${branch}/facts/2`);
    await merge();
    expect(await facts(main)).toEqual(["The user's name is Ada."]);
  });

  test("with conflicts are merged not at all, and these are named", async () => {
    await app.put("a.md", "Ours", branch);
    await app.put("d.md", "Of the branch", branch);
    await app.put("d.md", "Of the origin", main);
    const refused = await app.call("POST", `/v1/agents/${branch}/merge`, { into: main });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "merge_conflict" } } });
    expect(JSON.stringify(refused.body)).toContain("d.md");
    expect(await text(main, "a.md")).toBe("The note a of the origin.");
    expect((await merge({ dryRun: true })).body).toMatchObject({ merged: false, conflicts: 1 });
    expect(await text(main, "a.md")).toBe("The note a of the origin.");
    expect((await merge({ prefer: "target" })).body.merged).toBe(true);
    expect([await text(main, "a.md"), await text(main, "d.md")]).toEqual(["Ours", "Of the origin"]);
    // A conflict that was decided is not reported again.
    expect((await merge()).body).toMatchObject({ files: [], conflicts: 0 });
    await app.put("d.md", "Of the branch, again", branch);
    await app.put("d.md", "Of the origin, again", main);
    await merge({ prefer: "branch" });
    expect(await text(main, "d.md")).toBe("Of the branch, again");
  });

  test("with facts of one key that each has learnt: named, and one of them holds at the end", async () => {
    const keyed = async () =>
      (await app.call<{ facts: { text: string }[] }>("GET", `/v1/agents/${main}/facts?key=user.name`)).body.facts.map(
        (one) => one.text,
      );
    for (const [prefer, holds] of [
      ["target", "The user's name is Eve."],
      ["branch", "The user's name is Mary."],
    ] as const) {
      await fact(branch, { text: prefer === "target" ? "The user's name is Grace." : holds, key: "user.name" });
      await fact(main, { text: prefer === "target" ? holds : "The user's name is Joan.", key: "user.name" });
      const refused = await app.call<{ error: { code: string; details: { conflicts: string[] } } }>(
        ...(["POST", `/v1/agents/${branch}/merge`, { into: main }] as const),
      );
      expect(refused.body.error.code).toBe("merge_conflict");
      expect(refused.body.error.details.conflicts).toContain(prefer === "target" ? "The user's name is Grace." : holds);
      await merge({ prefer });
      expect(await keyed()).toEqual([holds]);
      expect((await merge()).body).toMatchObject({ files: [], facts: [], conflicts: 0 });
      expect(await keyed()).toEqual([holds]);
    }
    await consistent(app);
  });

  test("have a statement that both have learnt once", async () => {
    await fact(branch, { text: "Coffee is served at nine." });
    await fact(main, { text: "Coffee is served at nine." });
    expect((await diff()).facts).toEqual([]);
    await merge();
    expect((await facts(main)).filter((one) => one.startsWith("Coffee"))).toHaveLength(1);
  });

  test("are merged with what a fact is, and one that holds again is found", async () => {
    await app.call("PATCH", `/v1/agents/${branch}/facts/2`, { importance: 0.9, tags: ["tea"] });
    await app.call("POST", `/v1/agents/${branch}/snapshots`, { name: "ada" });
    await fact(branch, { text: "The user's name is Grace.", key: "user.name" });
    await merge();
    const state = async (id: string) => (await app.call("GET", `/v1/agents/${main}/facts/${id}`)).body;
    expect(await state("2")).toMatchObject({ importance: 0.9, tags: ["tea"] });
    expect(await state("1")).toMatchObject({ validTo: expect.any(String), supersededBy: "3" });
    expect((await app.call("POST", `/v1/agents/${branch}/snapshots/ada/rollback`, {})).body).toMatchObject({
      facts: { changed: ["1"], added: ["3"] },
    });
    expect((await merge()).body.facts).toMatchObject([{ key: "user.name", here: "changed", there: "none" }]);
    expect(await state("1")).not.toHaveProperty("validTo");
    expect(await state("1")).not.toHaveProperty("supersededBy");
    await app.rested();
    const { results } = await app.search("user's name", { minScore: 0, corpus: "facts" }, main);
    expect(results.map((one) => one.path)).toContain("facts/1");
    await consistent(app);
  });

  test("keep what the origin said before, and a snapshot of it brings all back", async () => {
    const list = (what: string) => app.call<Record<string, object[]>>("GET", `/v1/agents/${main}/${what}`);
    await app.call("POST", `/v1/agents/${main}/snapshots`, { name: "before" });
    const since = new Date().toISOString();
    const before = [(await list("files")).body.files, await facts(main)];
    await app.put("a.md", "Changed in the branch.", branch);
    await app.put("new.md", "New in the branch.", branch);
    await app.call("DELETE", `/v1/agents/${branch}/files/c.md`);
    await app.call("DELETE", `/v1/agents/${branch}/facts/2`);
    await fact(branch, { text: "The user's name is Grace.", key: "user.name" });
    await merge();
    expect((await list("versions?path=a.md")).body.versions).toMatchObject([{ endedBy: "local merge" }]);
    const happened = async () =>
      ((await list(`changes?since=${since}&limit=1000`)).body.changes as { kind: string; path: string }[])
        .map(({ kind, path }) => `${kind} ${path}`)
        .sort();
    const expected = [
      ...["fact.stored facts/3", "fact.superseded facts/1", "fact.withdrawn facts/2"],
      ...["file.changed a.md", "file.created new.md", "file.deleted c.md"],
    ];
    // The feed of changes is two seconds behind.
    await until(
      async () => (await happened()).length >= expected.length,
      () => "the changes",
    );
    expect(await happened()).toEqual(expected);
    expect((await app.call("POST", `/v1/agents/${main}/snapshots/before/rollback`, {})).status).toBe(200);
    const hashes = (files: unknown) =>
      (files as { path: string; hash: string }[]).map(({ path, hash }) => [path, hash]);
    expect([hashes((await list("files")).body.files), await facts(main)]).toEqual([hashes(before[0]), before[1]]);
  });

  test("are merged whole while the origin is written to", async () => {
    await app.put("a.md", "Ours", branch);
    await fact(branch, { text: "Coffee is served at nine." });
    const writes = Array.from({ length: 20 }, (_, i) => app.put(`busy-${i}.md`, `A note ${i}`, main));
    const merges = Array.from({ length: 3 }, () => merge());
    for (const { status } of await Promise.all(merges)) expect(status).toBe(200);
    await Promise.all(writes);
    expect(await text(main, "a.md")).toBe("Ours");
    expect((await facts(main)).filter((one) => one.startsWith("Coffee"))).toHaveLength(1);
    expect((await app.call<{ usage: object }>("GET", `/v1/agents/${main}`)).body.usage).toMatchObject({
      files: 24,
      facts: 3,
    });
  });

  const schemaOf = async (agent: string) => {
    const asked = "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1";
    return (await app.db.executeSql<{ schema: string }>(asked, [agent])).rows[0]?.schema;
  };

  test("of which the branch cannot note that it was merged are merged not at all", async () => {
    const base = `${await schemaOf(branch)}.branch_base`;
    await app.put("a.md", "Ours", branch);
    await app.db.executeSql(`ALTER TABLE ${base} ADD CONSTRAINT refused CHECK (hash = '') NOT VALID`);
    expect((await app.call("POST", `/v1/agents/${branch}/merge`, { into: main })).status).toBe(500);
    expect(await text(main, "a.md")).toBe("The note a of the origin.");
    await app.db.executeSql(`ALTER TABLE ${base} DROP CONSTRAINT refused`);
    expect((await merge()).body).toMatchObject({ merged: true, files: [{ path: "a.md" }] });
    // A later change does not conflict with the merged one.
    await app.put("a.md", "Theirs", main);
    expect((await merge()).body).toMatchObject({ files: [], conflicts: 0 });
  });

  test("of which the branch is erased meanwhile are merged not at all", needsPostgres("several sessions"), async () => {
    await app.put("a.md", "Ours", branch);
    const files = `${await schemaOf(main)}.files`;
    const [locked, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = app.db.transaction(async (tx) => {
      await tx.executeSql(`LOCK TABLE ${files} IN ROW EXCLUSIVE MODE`);
      locked.resolve();
      await written.promise;
    });
    await locked.promise;
    const merging = app.call("POST", `/v1/agents/${branch}/merge`, { into: main });
    // Tables in databases of other tests may have the same numbers, because all are copies of one
    // database.
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${files}'::regclass
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await until(async () => (await app.db.executeSql(waiting)).rows.length > 0, "the merge at the lock");
    expect((await app.call("DELETE", `/v1/agents/${branch}`)).status).toBe(200);
    written.resolve();
    await writing;
    expect(await merging).toMatchObject({ status: 404, body: { error: { code: "agent_not_found" } } });
    expect(await text(main, "a.md")).toBe("The note a of the origin.");
  });

  test("beyond a quota are merged not at all", async () => {
    await app.call("PATCH", `/v1/agents/${main}`, { limits: { files: 4 } });
    await app.put("a.md", "Ours", branch);
    await app.put("new.md", "One more", branch);
    await fact(branch, { text: "One fact more." });
    expect(await app.call("POST", `/v1/agents/${branch}/merge`, { into: main })).toMatchObject({ status: 413 });
    expect(await text(main, "a.md")).toBe("The note a of the origin.");
    expect(await facts(main)).not.toContain("One fact more.");
  });

  test("are only merged from the branch into its origin; others are compared without a past", async () => {
    await app.put("x.md", "A stranger", `other-${number}`);
    for (const [from, into] of [
      [main, branch],
      [branch, `other-${number}`],
    ])
      expect(await app.call("POST", `/v1/agents/${from}/merge`, { into })).toMatchObject({
        status: 404,
        body: { error: { code: "branch_not_found" } },
      });
    const { body } = await app.call<Compared>("GET", `/v1/agents/${main}/diff/other-${number}`);
    expect(body.since).toBeNull();
    expect(body.files.map(({ path, here, there }) => [path, here, there])).toContainEqual(["x.md", "deleted", "none"]);
  });
});
