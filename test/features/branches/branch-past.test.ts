import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { branchOf, consistent } from "../../support/branches.ts";
import { type SessionApp, startSessionApp } from "../../support/session-app.ts";
import { until } from "../../support/until.ts";

describe("a branch as of an earlier moment", () => {
  let app: SessionApp;
  let then: string;
  let was: Awaited<ReturnType<typeof memory>>;
  beforeAll(async () => {
    app = await startSessionApp();
    await app.talker("main");
    for (const name of ["a", "b", "c"]) await app.put(`${name}.md`, `The heron of note ${name}.`, "main");
    await fact({ text: "The user's name is Ada.", key: "user.name" });
    await fact({ text: "Tea is served at four." });
    await app.append("main", "slack:C1", ["The ferry leaves at nine.", "Then we take it."]);
    await app.synced("main");
    expect((await app.call("POST", "/v1/agents/main/snapshots", { name: "early" })).status).toBe(201);
    await app.call("DELETE", "/v1/agents/main/snapshots/early");
    was = await memory("main");
    then = await aLater();
    await app.put("a.md", "The osprey came later.", "main");
    await app.put("a.md", "The osprey came twice.", "main");
    await app.call("DELETE", "/v1/agents/main/files/b.md");
    await app.put("d.md", "The bittern came later.", "main");
    await fact({ text: "The user's name is Grace.", key: "user.name" });
    await fact({ text: "Coffee is served at nine." });
    await app.append("main", "slack:C2", ["The night train leaves at ten."]);
    await app.synced("main");
    await app.rested();
  });
  afterAll(() => app.drop());

  const fact = (one: object, agent = "main") => app.call("POST", `/v1/agents/${agent}/facts`, { facts: [one] });
  /** Returns a time after all earlier changes and before all later ones. */
  const aLater = async () => {
    const now = new Date();
    await until(() => Date.now() > now.getTime() + 5, "the clock");
    return now.toISOString();
  };
  const memory = async (agent: string) => {
    const get = async (path: string) => (await app.call<never>("GET", `/v1/agents/${agent}/${path}`)).body;
    const { files } = (await get("files")) as { files: { path: string; hash: string }[] };
    const { facts } = (await get("facts?all=true")) as { facts: { text: string; validTo?: string }[] };
    const { sessions } = (await get("sessions")) as { sessions: { session: string }[] };
    return {
      files: files.map(({ path, hash }) => [path, hash]),
      facts: facts.map(({ text, validTo }) => [text, validTo]),
      sessions: sessions.length,
    };
  };

  test("has the files, facts and conversations of then, found as then, and embeds nothing", async () => {
    const before = app.embedder.asked.length;
    expect(await branchOf(app, "main", "then", { at: then })).toMatchObject({ branchedAt: then });
    expect(await memory("then")).toEqual(was);
    await consistent(app);
    expect(app.embedder.asked.slice(before)).toEqual([]);
    const found = async (query: string) =>
      (await app.search(query, { minScore: 0, maxResults: 20 }, "then")).results.map((hit) => hit.snippet).join();
    expect(await found("osprey bittern night train coffee Grace")).not.toMatch(/osprey|bittern|night|Coffee|Grace/);
    expect(await found("heron of note b")).toContain("The heron of note b.");
    const { body } = await app.call("POST", "/v1/agents/then/facts/search", { query: "the user's name" });
    expect(JSON.stringify(body)).toContain("name is Ada");
  });

  test("is compared with its origin by what that has done since, and merges nothing of it back", async () => {
    const { body } = await app.call<{ files: { path: string; here: string; there: string }[] }>(
      ...(["GET", "/v1/agents/then/diff/main"] as const),
    );
    expect(body.files.map(({ path, here, there }) => [path, here, there])).toEqual([
      ["a.md", "none", "changed"],
      ["b.md", "none", "deleted"],
      ["d.md", "none", "added"],
    ]);
    const now = await memory("main");
    expect((await app.call("POST", "/v1/agents/then/merge", { into: "main" })).body).toMatchObject({
      files: [],
      facts: [],
      conflicts: 0,
    });
    expect(await memory("main")).toEqual(now);
  });

  test("of a snapshot has what that has", async () => {
    await app.call("POST", "/v1/agents/main/snapshots", { name: "mid" });
    const mid = await memory("main");
    await app.put("c.md", "The crane came last.", "main");
    await app.call("PATCH", "/v1/agents/main/facts/2", { importance: 0.9 });
    await app.call("DELETE", "/v1/agents/main/facts/4");
    await app.append("main", "slack:C3", ["The last bus leaves at eleven."]);
    await branchOf(app, "main", "mid", { snapshot: "mid" });
    expect(await memory("mid")).toEqual(mid);
    expect((await app.call("GET", "/v1/agents/mid/facts/2")).body).toMatchObject({ importance: 0.5 });
    await consistent(app);
  });

  test("from before a merge has what that has ended", async () => {
    await fact({ text: "The user's name is Ada.", key: "user.name" }, "merged");
    const before = await memory("merged");
    const at = await aLater();
    await branchOf(app, "merged", "aside");
    await fact({ text: "The user's name is Grace.", key: "user.name" }, "aside");
    expect((await app.call("POST", "/v1/agents/aside/merge", { into: "merged" })).status).toBe(200);
    expect((await memory("merged")).facts.map(([, validTo]) => validTo === undefined)).toEqual([true, false]);
    await branchOf(app, "merged", "ahead", { at });
    expect(await memory("ahead")).toEqual(before);
    await consistent(app);
  });

  test("is refused of a moment that is not known, and then there is no agent", async () => {
    const branch = (moment: object) => app.call("POST", "/v1/agents/main/branches", { as: "never", ...moment });
    const day = 86_400_000;
    for (const at of [new Date(Date.now() + day), new Date(Date.now() - 10_000 * day)])
      expect(await branch({ at: at.toISOString() })).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_request" } },
      });
    expect(await branch({ at: then, snapshot: "mid" })).toMatchObject({ status: 400 });
    expect(await branch({ snapshot: "none" })).toMatchObject({
      status: 404,
      body: { error: { code: "snapshot_not_found" } },
    });
    expect((await app.call("GET", "/v1/agents/never")).status).toBe(404);
  });
});
