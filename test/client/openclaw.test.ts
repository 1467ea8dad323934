import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../src/http/listen.ts";
import { cliOn } from "../support/cli-harness.ts";
import { needsOpenClaw } from "../support/needs.ts";
import {
  freePort,
  installOpenClaw,
  type ModelRequest,
  type OpenClaw,
  pinnedVersion,
  type ScriptedModel,
  startScriptedModel,
  textOfMessage,
} from "../support/openclaw.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const GROUP = "agent:main:telegram:group:-100";
const ANA = "agent:main:telegram:direct:77";

describe("the real OpenClaw with the plugin in its memory slot", { timeout: 1_800_000, ...needsOpenClaw() }, () => {
  let app: TestApp;
  let listener: Listener | undefined;
  let port: number;
  let model: ScriptedModel;
  let openclaw: OpenClaw;

  const up = async () => {
    listener ??= await listen(app.runtime.app, { host: "127.0.0.1", port });
  };
  const down = async () => {
    await listener?.close();
    listener = undefined;
  };

  // The start of a gateway takes 20 s of processor time.
  beforeAll(async () => {
    app = await startTestApp();
    port = await freePort();
    await up();
    model = await startScriptedModel();
    openclaw = await installOpenClaw({ model });
    // A busy machine must not look like a server that is away.
    openclaw.configure({ url: `http://127.0.0.1:${port}`, agents: { work: "office" }, timeoutMs: 20_000 });
    writeFileSync(join(openclaw.workspace("main"), "MEMORY.md"), "# Memory\n\nPetra has the spare key of the flat.\n");
    writeFileSync(join(openclaw.workspace("main"), "AGENTS.md"), "Walk the dog.\n");
    await openclaw.start();
  }, 900_000);
  afterAll(async () => {
    await openclaw?.remove();
    await model?.close();
    app?.runtime.stopAccepting();
    await down();
    await app?.drop();
  });

  /** The last request to the model that has tools, of a turn in which the model says nothing special. */
  const asked = async (sessionKey: string, message: string): Promise<ModelRequest> => {
    model.requests.length = 0;
    model.reply = () => "Fine.";
    await openclaw.turn(sessionKey, message);
    return model.requests.find(({ tools }) => tools !== undefined) ?? { messages: [] };
  };
  /** Lets the model call a tool first, and returns what the tool answered. */
  const called = async (sessionKey: string, message: string, tool: string, input: object) => {
    let answer = "";
    model.requests.length = 0;
    model.reply = ({ messages }) => {
      const asked = messages.findLastIndex((one) => one.role === "user" && textOfMessage(one).includes(message));
      const result = messages.slice(asked).findLast(({ role }) => role === "tool");
      if (!result) return { tool, input };
      answer = textOfMessage(result);
      return "I looked.";
    };
    await openclaw.turn(sessionKey, message);
    return answer;
  };
  const wordsOf = ({ messages }: ModelRequest) => messages.map(textOfMessage).join("\n");

  test("the installed version is the pinned one", () => {
    const path = "clients/openclaw/node_modules/openclaw/package.json";
    expect((JSON.parse(readFileSync(path, "utf8")) as { version: string }).version).toBe(pinnedVersion());
  });

  test("its interface has the parts that the plugin uses", () => {
    const { status, stdout } = spawnSync("node_modules/.bin/tsc", ["-p", "clients/openclaw"], { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, ""]);
  });

  test("the prompt tells about the tools, which the model has", async () => {
    const request = await asked("agent:main:main", "Good morning");
    expect(textOfMessage(request.messages[0] as never)).toContain("## Memory Recall");
    const names = request.tools?.map((tool) => tool.function.name);
    expect(names).toEqual(expect.arrayContaining(["memory_search", "memory_get", "memory_store"]));
  });

  test("a turn that searches finds the workspace's memory, and nothing else of the workspace", async () => {
    const answer = await called("agent:main:main", "Who has the key?", "memory_search", { query: "spare key" });
    const { results } = JSON.parse(answer) as { results: { path: string; snippet: string }[] };
    expect(results.find(({ path }) => path === "MEMORY.md")?.snippet).toContain("Petra");
    const { body } = await app.call<{ files: { path: string }[] }>("GET", "/v1/agents/main/files");
    expect(body.files.map(({ path }) => path)).toEqual(["MEMORY.md"]);
  });

  test("a file that OpenClaw writes is found by the next search, and a deleted file is not", async () => {
    const note = join(openclaw.workspace("main"), "memory/2026-02-03.md");
    writeFileSync(note, "The boiler was serviced by Heizung Krause.\n");
    const answer = await called("agent:main:main", "Who did it?", "memory_search", { query: "boiler serviced" });
    expect(answer).toContain("Heizung Krause");
    rmSync(note);
    expect(await called("agent:main:main", "Who?", "memory_search", { query: "boiler serviced" })).not.toContain(
      "Krause",
    );
  });

  test("a turn is captured, and the next one recalls it", async () => {
    await asked("agent:main:main", "My name is Quentin and I prefer oolong in the morning.");
    await until(async () => {
      const { body } = await app.call<{ facts: { text: string }[] }>("GET", "/v1/agents/main/facts");
      return body.facts.some(({ text }) => text.includes("oolong"));
    });
    // Another conversation of the owner, whose history does not have the words.
    const request = await asked("agent:main:second", "What do I prefer to drink in the morning?");
    expect(wordsOf(request)).toMatch(/oolong/);
  });

  test("a fact that the model stores is read again", async () => {
    const text = "Quentin's sister Odile lives in Tallinn";
    const stored = JSON.parse(await called("agent:main:main", "Remember that.", "memory_store", { text }));
    expect(stored.facts[0]).toMatchObject({ status: "stored" });
    const path = `facts/${stored.facts[0].id}`;
    expect(await called("agent:main:main", "Read it.", "memory_get", { path })).toContain("Tallinn");
  });

  test("a group sees neither private conversations nor files, and its own conversation", async () => {
    expect(await called(GROUP, "Who has the key?", "memory_search", { query: "spare key oolong Tallinn" })).not.toMatch(
      /Petra|oolong|Tallinn/,
    );
    expect(await called(GROUP, "Read it.", "memory_get", { path: "MEMORY.md" })).toContain("not_found");
    expect(await called(GROUP, "Read it.", "memory_get", { path: "sessions/main" })).toContain("not_found");
    expect(wordsOf(await asked(GROUP, "What do I prefer to drink in the morning?"))).not.toContain("oolong in");
    await asked(GROUP, "The barbecue is on the roof of number nine.");
    const own = await called(GROUP, "Where is it?", "memory_search", { query: "barbecue roof" });
    expect(own).toContain("number nine");
    const other = await called(ANA, "Where is it?", "memory_search", { query: "barbecue roof" });
    expect(other).not.toContain("number nine");
  });

  test("the owner's search covers the group's conversation", async () => {
    const found = await called("agent:main:main", "Where is it?", "memory_search", { query: "barbecue roof" });
    expect(found).toContain("number nine");
  });

  test("a coding agent's conversation is recalled, but not in a group, and OpenClaw's in the coding agent", async () => {
    const toCodex = (prompt: string, session_id: string) =>
      app.call<{ hookSpecificOutput?: { additionalContext: string } }>(
        "POST",
        "/v1/agents/main/hooks/codex?user=owner",
        { hook_event_name: "UserPromptSubmit", session_id, prompt },
      );
    expect((await toCodex("We release the sauna firmware on Wednesdays only.", "said")).status).toBe(200);
    const question = "On which days do we release the sauna firmware?";
    await until(async () => wordsOf(await asked("agent:main:third", question)).includes("Wednesdays"));
    expect(wordsOf(await asked(GROUP, question))).not.toContain("Wednesdays");
    // A prompt that a busy machine answers too late has no context.
    await until(async () => {
      const { body } = await toCodex("What do I prefer to drink in the morning?", "asked");
      return body.hookSpecificOutput?.additionalContext.includes("oolong") === true;
    });
  });

  test("a hit has the class that OpenClaw gives its messages", async () => {
    const classOf = async (session: string, words: string) =>
      (await app.search(words, { corpus: "sessions", paths: [`sessions/${session}`] })).results[0]?.session
        ?.originClass;
    expect(await classOf("main", "oolong in the morning")).toBe("agent");
    const { body } = await app.call<{ sessions: { session: string; scope: object }[] }>(
      "GET",
      "/v1/agents/main/sessions",
    );
    expect(body.sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ session: "main", scope: { user: "owner" } }),
        expect.objectContaining({ session: "telegram:group:-100", scope: { session: GROUP } }),
        expect.objectContaining({ session: "telegram:direct:77", scope: { user: "telegram:direct:77" } }),
      ]),
    );
  });

  test("recollect import openclaw reads the database while OpenClaw runs, and adds only new messages", async () => {
    const run = async (agent: string) => {
      const folder = join(openclaw.database("main"), "../..");
      const { out } = await cliOn(app)("import", "openclaw", folder, "--agent", agent, "--json");
      return (JSON.parse(out) as { messages: { new: number; known: number } }).messages;
    };
    const fresh = await run("imported");
    expect(fresh).toMatchObject({ known: 0 });
    expect(fresh.new).toBeGreaterThan(10);
    const scopes = async (agent: string) => {
      const path = `/v1/agents/${agent}/sessions`;
      const { body } = await app.call<{ sessions: { session: string; messages: number; scope: object }[] }>(
        "GET",
        path,
      );
      const ofOpenClaw = body.sessions.filter(({ session }) => !session.startsWith("codex:"));
      return ofOpenClaw.map(({ messages, scope }) => JSON.stringify([messages, scope])).sort();
    };
    expect(await scopes("imported")).toEqual(await scopes("main"));
    expect(await run("main")).toMatchObject({ new: 0 });
  });

  test("another agent has another memory, under the name that the settings give it", async () => {
    await asked("agent:work:main", "Always use pnpm in the monorepo.");
    await until(async () => {
      const { body } = await app.call<{ sessions?: { session: string }[] }>("GET", "/v1/agents/office/sessions");
      return body.sessions?.some(({ session }) => session === "agent:work:main") ?? false;
    });
    expect(await called("agent:work:main", "Who?", "memory_search", { query: "spare key" })).not.toContain("Petra");
    expect(await called("agent:main:main", "What?", "memory_search", { query: "pnpm monorepo" })).not.toContain(
      "pnpm in",
    );
  });

  test("memory status, search and index answer on the command line", async () => {
    const status = await openclaw.run("memory", "status");
    expect(status.stdout).toMatch(/Memory of main: Recollect at .*\n {2}1 file · /);
    expect(status.stdout).toContain("agent office");
    const found = await openclaw.run("memory", "search", "spare key", "--agent", "main");
    expect(found.stdout).toContain("MEMORY.md:");
    writeFileSync(join(openclaw.workspace("work"), "USER.md"), "Bea writes Go.\n");
    const index = await openclaw.run("memory", "index");
    expect([index.code, index.stdout]).toEqual([0, expect.stringMatching(/Memory of work: sent 1 of 1 file, /)]);
  });

  test("while the server is away a turn goes on, and the model is told that memory is unavailable", async () => {
    await down();
    const request = await asked("agent:main:main", "I like the smell of fresh rain in Bergen.");
    expect(wordsOf(request)).toContain("Long-term memory is unavailable at the moment");
    const answer = await called("agent:main:main", "Who has the key?", "memory_search", { query: "spare key" });
    expect(JSON.parse(answer)).toMatchObject({ results: [], disabled: true, unavailable: true });
    const { code, stdout } = await openclaw.run("recollect", "status", "--agent", "main");
    expect([code, stdout]).toEqual([1, expect.stringContaining("unavailable")]);
  });

  test("after a restart the messages of the outage are sent, and the memory is there", async () => {
    await openclaw.stop();
    await up();
    await openclaw.start();
    await until(async () => {
      const found = await app.search("fresh rain in Bergen", { corpus: "sessions" });
      return found.results.some(({ snippet }) => snippet.includes("Bergen"));
    });
    expect(wordsOf(await asked("agent:main:third", "What do I prefer to drink in the morning?"))).toMatch(/oolong/);
    const { body } = await app.call<{ messages: { text: string }[] }>("GET", "/v1/agents/main/sessions/main");
    const said = body.messages.filter(({ text }) => text.includes("My name is Quentin"));
    expect(said).toHaveLength(1);
  });
});
