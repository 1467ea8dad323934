import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkAgents } from "../support/check-agent.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { wordVector } from "../support/word-embedder.ts";

interface Listed {
  path: string;
  origin: string | null;
  hash: string;
}

interface Refused {
  code: string;
  details?: { paths: string[] };
}

const LAPTOP = "laptop:/home/mina/notes";
const CI = "ci";

describe("files of origins", () => {
  let app: TestApp;
  let agent: string;
  let agents = 0;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());
  beforeEach(() => {
    agent = `origins${++agents}`;
  });

  const at = (path: string) => `/v1/agents/${agent}/${path}`;
  const put = (...files: [path: string, content: string][]) => ({
    put: files.map(([path, content]) => ({ path, content })),
  });
  const send = <T = Refused>(batch: object, origin?: string) =>
    app.call<T>("POST", at("files"), { ...batch, ...(origin !== undefined && { origin }) });
  const list = async (query = "") => (await app.call<{ files: Listed[] }>("GET", at(`files${query}`))).body.files;
  const owners = async () => Object.fromEntries((await list()).map(({ path, origin }) => [path, origin]));
  const content = async (path: string) =>
    (await app.call<{ content: string }>("GET", at(`files/${path}`))).body.content;

  test("a file is of the origin that sent it, and listed and counted so", async () => {
    await send(put(["a.md", "A"], ["b.md", "B"]), LAPTOP);
    await send(put(["c.md", "C"]), CI);
    await app.put("d.md", "D", agent);
    expect(await owners()).toEqual({ "a.md": LAPTOP, "b.md": LAPTOP, "c.md": CI, "d.md": null });
    expect((await list(`?origin=${encodeURIComponent(LAPTOP)}`)).map((file) => file.path)).toEqual(["a.md", "b.md"]);
    expect(await list("?origin=nobody")).toEqual([]);
    expect((await app.call("GET", at("files/c.md"))).body).toMatchObject({ origin: CI });
    expect((await app.call("GET", at("origins"))).body).toEqual({
      origins: [
        { origin: LAPTOP, files: 2 },
        { origin: CI, files: 1 },
      ],
    });
  });

  test("it changes and deletes its own files", async () => {
    await send(put(["a.md", "A"], ["b.md", "B"]), LAPTOP);
    const { status, body } = await send<object>(
      { ...put(["a.md", "A2"], ["c.md", "B"]), delete: ["b.md", "x.md"] },
      LAPTOP,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ files: [{ status: "updated" }, { status: "created" }], deleted: ["b.md"] });
    expect(await owners()).toEqual({ "a.md": LAPTOP, "c.md": LAPTOP });
  });

  test("what another origin sent, or somebody wrote, is neither changed nor deleted, nor is anything else of the batch done", async () => {
    await send(put(["theirs.md", "Theirs"]), CI);
    await app.put("written.md", "Written", agent);
    await send(put(["own.md", "Own"]), LAPTOP);
    const changed = put(["new.md", "New"], ["own.md", "Own 2"], ["theirs.md", "Mine"], ["written.md", "Mine"]);
    const refused = await send(changed, LAPTOP);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "origin_conflict", details: { paths: ["theirs.md", "written.md"] } });
    const doomed = await send({ delete: ["own.md", "theirs.md", "written.md"] }, LAPTOP);
    expect(doomed.body).toMatchObject({ code: "origin_conflict", details: { paths: ["theirs.md", "written.md"] } });
    expect(await owners()).toEqual({ "own.md": LAPTOP, "theirs.md": CI, "written.md": null });
    expect(await content("own.md")).toBe("Own");
  });

  test("who writes a file makes it nobody's, so that its origin no longer changes or deletes it", async () => {
    await send(put(["put.md", "1"], ["batch.md", "1"], ["tool.md", "1"]), LAPTOP);
    await app.put("put.md", "2", agent);
    await send(put(["batch.md", "2"]));
    const edit = { command: "str_replace", path: "/memories/tool.md", old_str: "1", new_str: "2" };
    expect((await app.call<object>("POST", at("tools/memory"), edit)).body).not.toHaveProperty("is_error");
    expect(await owners()).toEqual({ "put.md": null, "batch.md": null, "tool.md": null });
    for (const path of ["put.md", "batch.md", "tool.md"]) {
      expect((await send(put([path, "3"]), LAPTOP)).body.code).toBe("origin_conflict");
      expect((await send({ delete: [path] }, LAPTOP)).body.code).toBe("origin_conflict");
    }
    // Writing the same content again writes nothing.
    await send(put(["same.md", "1"]), LAPTOP);
    await app.put("same.md", "1", agent);
    expect(await owners()).toMatchObject({ "same.md": LAPTOP });
  });

  test("a write by a process of before, which knows no origins, ends one too", async () => {
    await send(put(["a.md", "A"]), LAPTOP);
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
      [agent],
    );
    await app.db.executeSql(`UPDATE ${rows[0]?.schema}.files SET content = 'B', content_hash = 'of B'`);
    expect(await owners()).toEqual({ "a.md": null });
    expect((await app.call("GET", at("origins"))).body).toEqual({ origins: [] });
    expect((await send({ delete: ["a.md"] }, LAPTOP)).body.code).toBe("origin_conflict");
  });

  test("a file that is already so becomes the origin's if it is nobody's, and stays another's", async () => {
    await app.put("written.md", "Same", agent);
    await send(put(["theirs.md", "Same"]), CI);
    const { body } = await send<object>(put(["written.md", "Same"], ["theirs.md", "Same"]), LAPTOP);
    expect(body).toMatchObject({ files: [{ status: "unchanged" }, { status: "unchanged" }] });
    expect(await owners()).toEqual({ "written.md": LAPTOP, "theirs.md": CI });
  });

  test("takeOver puts what is others' and makes it the origin's; it deletes its own alone", async () => {
    await app.put("written.md", "Written", agent);
    await send(put(["theirs.md", "Theirs"], ["same.md", "Same"], ["kept.md", "Kept"]), CI);
    const files = put(["written.md", "Mine"], ["theirs.md", "Mine"], ["same.md", "Same"]);
    const refused = await send({ ...files, delete: ["kept.md"], takeOver: true }, LAPTOP);
    expect(refused.body).toMatchObject({ code: "origin_conflict", details: { paths: ["kept.md"] } });
    expect((await send({ ...files, takeOver: true }, LAPTOP)).status).toBe(200);
    expect(await owners()).toEqual({ "kept.md": CI, "same.md": LAPTOP, "theirs.md": LAPTOP, "written.md": LAPTOP });
    expect(await content("theirs.md")).toBe("Mine");
    expect((await send({ ...files, takeOver: true })).body.code).toBe("invalid_request");
  });

  test("names are printable and at most 200 characters", async () => {
    for (const bad of ["", " a", "a\nb", "a\u001b[31m", "a\u200b", "x".repeat(201)]) {
      expect((await send(put(["a.md", "A"]), bad)).body.code).toBe("invalid_request");
      expect((await app.call("GET", at(`files?origin=${encodeURIComponent(bad)}`))).status).toBe(400);
    }
    for (const good of ["x".repeat(200), "büro:/Users/日本 notes 🗼"])
      expect((await send(put(["a.md", good]), good)).body.code ?? "").toMatch(/^$|origin_conflict/);
  });

  test("writers and two origins at once: what somebody wrote last is there, whoever wins", async () => {
    await send(put(["a.md", "0"], ["b.md", "0"]), LAPTOP);
    for (let round = 1; round <= 12; round++) {
      const answers = await Promise.all([
        send({ ...put(["a.md", `laptop ${round}`]), delete: ["b.md"] }, LAPTOP),
        app.put("a.md", `agent ${round}`, agent),
        app.put("b.md", `agent ${round}`, agent),
        send({ ...put(["a.md", `ci ${round}`]), delete: ["b.md"] }, CI),
      ]);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      // The agent's writes come before or after those of the origins, which never undo them.
      expect(await content("a.md")).toBe(`agent ${round}`);
      expect(await content("b.md")).toBe(`agent ${round}`);
      await send({ ...put(["a.md", `reset ${round}`], ["b.md", `reset ${round}`]), takeOver: true }, LAPTOP);
    }
    await app.embedded(agent);
    const problems = await checkAgents(app.db, (_model, text, dimensions) => wordVector(text, dimensions));
    const isUpkeep = (problem: string) => /: (\d+ texts are counted|statistics count)/.test(problem);
    expect(problems.filter((problem) => problem.startsWith(`${agent}:`) && !isUpkeep(problem))).toEqual([]);
  });

  test("an index that is made anew leaves files with their origins", async () => {
    await send(put(["a.md", "A"]), LAPTOP);
    await app.call("PATCH", `/v1/agents/${agent}`, { settings: { chunking: { tokens: 300 } } });
    await app.call("POST", at("reindex"), {});
    for (let state = ""; state !== "none"; )
      state = (await app.call<{ reindex: { state: string } }>("GET", at("status"))).body.reindex.state;
    expect(await owners()).toEqual({ "a.md": LAPTOP });
  });
});
