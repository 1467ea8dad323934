import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentStatus, Growth } from "../../src/client/client.ts";
import { countStatements } from "../support/count-statements.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("the growth of an agent", () => {
  let app: TestApp;
  let today: string;
  beforeAll(async () => {
    app = await startTestApp({ embedder: undefined });
    today = app.runtime.deps.clock().toISOString().slice(0, 10);
  });
  afterAll(() => app.drop());

  const read = async (agent: string, query = "") =>
    (await app.call<Growth>("GET", `/v1/agents/${agent}/growth${query}`)).body;
  const none = { files: 0, messages: 0, facts: 0, chunks: 0 };
  const dayBefore = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);

  test("is what there is by the day on which it was stored, and agrees with the status", async () => {
    const at = "/v1/agents/main";
    for (const path of ["old.md", "week.md", "today.md"]) await app.put(path, `# ${path}`);
    const messages = [1, 2, 3].map((number) => ({ role: "user", text: `The pump hums ${number} times.` }));
    await app.call("POST", `${at}/sessions/chat/messages`, { messages, capture: false });
    await app.call("POST", `${at}/facts`, { facts: [{ text: "The boiler is serviced in May." }] });
    const { rows } = await app.db.executeSql<{ name: string }>("SELECT schema_name AS name FROM recollect.agents");
    // A day ends at midnight UTC, whatever the session's time zone.
    for (const [path, stored] of [
      ["old.md", `${dayBefore(500)}T12:00:00Z`],
      ["week.md", `${dayBefore(7)}T23:59:59Z`],
    ])
      await app.db.executeSql(`UPDATE ${rows[0]?.name}.files SET created_at = $2 WHERE path = $1`, [path, stored]);
    const growth = await read("main", "?days=30");
    expect(growth).toEqual({
      from: dayBefore(29),
      to: today,
      before: { ...none, files: 1, chunks: 1 },
      days: [
        { ...none, day: dayBefore(7), files: 1, chunks: 1 },
        { day: today, files: 1, messages: 3, facts: 1, chunks: expect.any(Number) },
      ],
    });
    const { body: status } = await app.call<AgentStatus>("GET", `${at}/status`);
    const sum = (kind: keyof typeof none) => growth.days.reduce((all, one) => all + one[kind], growth.before[kind]);
    for (const kind of ["files", "messages", "facts", "chunks"] as const) expect(sum(kind)).toBe(status[kind]);
    expect((await read("main", "?days=1")).days).toHaveLength(1);
  });

  test("costs one statement over the memory", async () => {
    expect(await countStatements(app, /\.(files|messages|facts)\b/, () => read("main"))).toBe(1);
  });

  test("of an empty agent is nothing, and the number of days is bounded", async () => {
    await app.call("POST", "/v1/agents", { id: "empty" });
    expect(await read("empty")).toEqual({ from: dayBefore(89), to: today, before: none, days: [] });
    for (const days of ["0", "401", "x", "1.5"])
      expect((await app.call("GET", `/v1/agents/main/growth?days=${days}`)).status).toBe(400);
  });
});
