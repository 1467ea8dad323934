import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliOn, type Ran } from "../support/cli-harness.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";
import { until } from "../support/until.ts";

const FILES = 120;
const EVIL = ["worse.md", "evil.md"];
const ALL = FILES + EVIL.length;

const linesOf = ({ out }: Ran) => out.trim().split("\n");

describe("recollect files changes", () => {
  let app: SessionApp;
  let cli: (...argv: string[]) => Promise<Ran>;
  let prefix = "";
  beforeAll(async () => {
    app = await startSessionApp();
    cli = cliOn(app);
    await app.talker("main", { sources: ["memory"] });
    const put = Array.from({ length: FILES }, (_, n) => ({ path: `n${n}.md`, content: `Note ${n}.` }));
    for (const part of [put.slice(0, 60), put.slice(60)])
      expect((await app.call("POST", "/v1/agents/main/files", { put: part })).status).toBe(200);
    const key = await app.key(["search", "agent:write"], { agentId: "main" });
    prefix = key.split("_").slice(0, 2).join("_");
    for (const name of EVIL) await app.call("PUT", `/v1/agents/main/files/${name}`, { content: "evil" }, key);
    // Changes are shown some seconds after they happened.
    let seen = 0;
    await until(
      async () => {
        seen = linesOf(await cli("files", "changes", "--agent", "main")).length;
        return seen === ALL;
      },
      () => `${seen} changes`,
    );
  });
  afterAll(() => app.drop());

  test("without a limit shows all changes, oldest first", async () => {
    const shown = await cli("files", "changes", "--agent", "main");
    expect(linesOf(shown).at(-1)).toContain("evil.md");
    expect(shown.err).not.toContain("more");
  });

  test("by a caller shows only what this key wrote", async () => {
    const shown = linesOf(await cli("files", "changes", "--agent", "main", "--by", prefix));
    expect(shown).toEqual(EVIL.map((name) => expect.stringContaining(name)));
  });

  test("by a caller and with a limit says that there are more, and gives no cursor that skips them", async () => {
    const argv = ["files", "changes", "--agent", "main", "--by", prefix, "--limit", "1"];
    expect((await cli(...argv)).err).toContain("there may be more: a higher --limit");
    const page = JSON.parse((await cli(...argv, "--json")).out);
    expect(page).toMatchObject({ changes: [{ path: EVIL[0] }], more: true });
    expect(page).not.toHaveProperty("cursor");
  });

  test("with a limit says that there are more", async () => {
    const shown = await cli("files", "changes", "--agent", "main", "--limit", "100");
    expect(linesOf(shown)).toHaveLength(100);
    expect(shown.err).toContain("there may be more: a higher --limit");
    const exact = await cli("files", "changes", "--agent", "main", "--limit", String(ALL));
    expect(exact.err).not.toContain("more");
  });

  test("a list of facts says that there are more", async () => {
    const facts = ["The kettle is red", "The violin is old", "The tunnel is long"].map((text) => ({ text }));
    await app.call("POST", "/v1/agents/main/facts", { facts });
    expect((await cli("facts", "list", "--agent", "main", "--limit", "2")).err).toContain("more: a higher --limit");
    expect((await cli("facts", "list", "--agent", "main")).err).not.toContain("more");
  });
});
