import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

interface Got {
  text: string;
  path: string;
  from?: number;
  lines?: number;
  status?: string;
  nextFrom?: number;
}

describe("memory_get of a fact", () => {
  let app: FactApp;
  const get = async (input: object, key?: string, agent = "main") =>
    (await app.call<Got>("POST", `/v1/agents/${agent}/tools/memory_get`, input, key)).body;
  const stored = async (fact: Parameters<FactApp["store"]>[1]) => (await app.store("main", fact))[0]?.id ?? "";
  beforeAll(async () => {
    app = await startFactApp({ worker: false });
    await app.call("POST", "/v1/agents", { id: "main", settings: { sources: ["memory", "sessions", "facts"] } });
  });
  afterAll(() => app.drop());

  test("its text comes first, then what is known of it", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const id = await stored({
      text: "Mina prefers tea.\nNever coffee.",
      category: "preference",
      tags: ["drinks", "office"],
      scope: { user: "mina", session: "s1" },
      validFrom: new Date("2026-03-04T10:00:00Z"),
    });
    expect(await get({ path: `facts/${id}` })).toEqual({
      path: `facts/${id}`,
      from: 1,
      lines: 8,
      text: [
        ...["Mina prefers tea.", "Never coffee.", "", "category: preference", "holds since: 2026-03-04"],
        ...["for: user mina, session s1", "tags: drinks, office", "source: stored directly"],
      ].join("\n"),
    });
    // Only a fact that was said again has a date on which it was last said.
    await app.call("POST", "/v1/agents/main/facts", {
      facts: [
        { text: "Mina prefers tea.\nNever coffee.", category: "preference", scope: { user: "mina", session: "s1" } },
      ],
    });
    expect(await get({ path: `facts/${id}` })).toMatchObject({
      lines: 9,
      text: expect.stringContaining(`last said: ${today}`),
    });
    expect(await get({ path: `facts/${id}`, from: 2, lines: 1 })).toMatchObject({ text: "Never coffee.", nextFrom: 3 });
  });

  test("one that is over says so in its first line and names what took its place, which names it", async () => {
    const key = "user.city";
    const old = await stored({ text: "Mina lives in Oslo.", key, validFrom: new Date("2026-01-02T00:00:00Z") });
    const now = await stored({ text: "Mina lives in Bergen.", key, validFrom: new Date("2026-05-18T00:00:00Z") });
    const before = (await get({ path: `facts/${old}` })).text.split("\n");
    expect(before[0]).toBe("No longer holds, since 2026-05-18: Mina lives in Oslo.");
    expect(before).toEqual(
      expect.arrayContaining([
        ...["holds since: 2026-01-02", "held until: 2026-05-18", "key: user.city"],
        `replaced by: Mina lives in Bergen. (facts/${now})`,
      ]),
    );
    const { text } = await get({ path: `facts/${now}` });
    expect(text).toMatch(/^Mina lives in Bergen\.\n/);
    expect(text).toContain(`\nreplaced: Mina lives in Oslo. (facts/${old})\n`);
    expect(text).not.toContain("replaced by");
  });

  test("one that has expired, or does not hold yet, says so", async () => {
    const [validFrom, expiresAt] = [new Date("2026-01-02T00:00:00Z"), new Date("2026-01-03T00:00:00Z")];
    const id = await stored({ text: "The lift is broken.", validFrom, expiresAt });
    expect((await get({ path: `facts/${id}` })).text).toMatch(/^No longer holds, expired 2026-01-03: The lift/);
    const later = await stored({ text: "The lift is new.", validFrom: new Date("2999-01-02T00:00:00Z") });
    expect((await get({ path: `facts/${later}` })).text).toMatch(/^Holds only from 2999-01-02 on: The lift is new/);
  });

  test("a fact from a conversation names the line where it was said, which can be read", async () => {
    await app.call("POST", "/v1/agents/main/sessions/slack%3AC1/messages", {
      messages: [
        { role: "user", text: "Hello.\nIt is me." },
        { role: "user", text: "My name is Petra." },
      ],
    });
    const source = { kind: "message" as const, session: "agent:main:slack:C1" };
    const id = await stored({ text: "The user is called Petra.", source: { ...source, message: 2 } });
    const line = (await get({ path: `facts/${id}` })).text.split("\n").at(-1);
    expect(line).toBe("source: said in sessions/slack:C1#L3");
    expect((await get({ path: "sessions/slack:C1", from: 3, lines: 1 })).text).toBe("user: My name is Petra.");
    const gone = await stored({ text: "The user is tall.", source: { ...source, message: 9 } });
    expect((await get({ path: `facts/${gone}` })).text).toMatch(/said in sessions\/slack:C1, message 9$/);
    const elsewhere = await stored({ text: "The user is old.", source: { kind: "message", session: "no such one" } });
    expect((await get({ path: `facts/${elsewhere}` })).text).toMatch(/source: said in the conversation no such one$/);
    const file = await stored({ text: "Ports are closed.", source: { kind: "file", path: "a.md", startLine: 4 } });
    expect((await get({ path: `facts/${file}` })).text).toMatch(/source: a\.md#L4$/);
  });

  test("no other's fact, none that is forgotten and no odd number is one", async () => {
    await app.store("other", ...Array.from({ length: 30 }, (_, at) => `Secret number ${at}`));
    const id = await stored("Soon forgotten.");
    await app.call("DELETE", `/v1/agents/main/facts/${id}`);
    for (const path of [
      `facts/${id}`,
      "facts/29",
      "facts/0",
      "facts/01",
      "facts/1e1",
      `facts/${"9".repeat(18)}`,
      "facts/x",
    ])
      expect(await get({ path })).toEqual({ status: "not_found", text: "", path });
    const writer = await app.key(["agent:write"]);
    expect(await app.call("POST", "/v1/agents/main/tools/memory_get", { path: "facts/1" }, writer)).toMatchObject({
      status: 403,
      body: { error: { code: "forbidden" } },
    });
    const bound = await app.key(["search"], { agentId: "main" });
    expect(await app.call("POST", "/v1/agents/other/tools/memory_get", { path: "facts/1" }, bound)).toMatchObject({
      status: 404,
      body: { error: { code: "agent_not_found" } },
    });
  });

  test("its path is no file's; another in the same folder is", async () => {
    for (const path of ["facts/12", `facts/${"9".repeat(18)}`])
      expect(await app.put(path, "x")).toMatchObject({ status: 400, body: { error: { code: "invalid_path" } } });
    for (const path of ["facts/12.md", "facts/012", "facts/a/12", "12"]) {
      expect((await app.put(path, "A file")).status).toBe(200);
      expect((await get({ path })).text).toBe("A file");
    }
  });

  test("a file from before facts had paths stays readable, and can be deleted", async () => {
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'main'",
    );
    await app.put("old.md", "An old file");
    await app.db.executeSql(`UPDATE ${rows[0]?.schema}.files SET path = 'facts/777' WHERE path = 'old.md'`);
    expect((await get({ path: "facts/777" })).text).toBe("An old file");
    const file = await app.call<{ content: string }>("GET", "/v1/agents/main/files/facts/777");
    expect(file.body.content).toBe("An old file");
    expect((await app.call("DELETE", "/v1/agents/main/files/facts/777")).status).toBe(200);
    expect((await get({ path: "facts/777" })).status).toBe("not_found");
  });
});
