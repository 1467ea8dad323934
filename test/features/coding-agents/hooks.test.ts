import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HookAnswer } from "../../../src/features/coding-agents/hook-input.ts";
import type { SessionPage } from "../../../src/service/sessions/read-sessions.ts";
import { type FakeModel, startFakeModel } from "../../support/fake-model.ts";
import type { ErrorBody } from "../../support/test-app.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

describe("hooks of coding agents", () => {
  let app: TestApp;
  let model: FakeModel;
  beforeAll(async () => {
    model = await startFakeModel();
    app = await startTestApp({
      env: { RECOLLECT_CHAT_PROVIDER: "openai", RECOLLECT_CHAT_BASE_URL: model.url, RECOLLECT_CHAT_API_KEY: "k" },
    });
    await app.put("ports.md", "The staging gateway listens on port 8080.");
    await app.embedded();
  });
  afterAll(async () => {
    await app.drop();
    await model.close();
  });

  const hook = async (input: Record<string, unknown>, agent = "main", host = "claude-code", key?: string) => {
    const whole = { session_id: "s1", cwd: "/home/ana/shop", transcript_path: "/etc/passwd", ...input };
    return app.call<HookAnswer>("POST", `/v1/agents/${agent}/hooks/${host}`, whole, key);
  };
  const prompt = async (text: string, more: Record<string, unknown> = {}, agent = "main") =>
    (await hook({ hook_event_name: "UserPromptSubmit", prompt: text, ...more }, agent)).body;
  const stop = async (text: string, more: Record<string, unknown> = {}, agent = "main") =>
    (await hook({ hook_event_name: "Stop", last_assistant_message: text, ...more }, agent)).body;
  /**
   * Returns the context of a prompt once it has this text. A prompt that a busy machine answers too
   * late has none.
   */
  const recalled = async (text: string, more: Record<string, unknown>, wanted: string, agent = "main") => {
    let told = "";
    const asked = async () => {
      told = contextOf(await prompt(text, more, agent));
      return told.includes(wanted);
    };
    await until(asked, () => `${wanted} in ${JSON.stringify(told)}`);
    return told;
  };
  const contextOf = (answer: HookAnswer) => answer.hookSpecificOutput?.additionalContext ?? "";
  const messages = async (session: string, agent = "main") => {
    const { status, body } = await app.call<SessionPage>("GET", `/v1/agents/${agent}/sessions/${session}`);
    return status === 200 ? body.messages.map(({ role, text }) => `${role}: ${text}`) : [];
  };

  test("a prompt recalls what bears on it, and only that", async () => {
    const told = await recalled("Which port does the staging gateway listen on?", { session_id: "ask" }, "port 8080");
    expect(told).toContain("<recalled-memory>");
    expect(await prompt("thanks!", { session_id: "ask" })).toEqual({});
  });

  test("a conversation is for the user whom the address names, and recalls this user's memories and everybody's", async () => {
    const { status } = await app.call("POST", "/v1/agents/shared/sessions/chat/messages", {
      messages: [{ role: "user", content: "I always park the van in the Kaigate garage." }],
      scope: { user: "owner" },
    });
    expect(status).toBe(200);
    const asked = (host: string, text: string, session_id: string) =>
      app.call<HookAnswer>("POST", `/v1/agents/shared/hooks/${host}`, {
        hook_event_name: "UserPromptSubmit",
        session_id,
        prompt: text,
      });
    const toldOf = async (host: string, text: string, wanted: string) => {
      let told = "";
      const isTold = async () => {
        told = contextOf((await asked(host, text, `ask-${host}`)).body);
        return told.includes(wanted);
      };
      await until(isTold, () => `${wanted} in ${JSON.stringify(told)}`);
    };
    await toldOf("codex?user=owner", "Where do I park the van?", "Kaigate");
    expect(contextOf((await asked("codex?user=petra", "Where do I park the van?", "p")).body)).not.toContain("Kaigate");
    expect(contextOf((await asked("codex", "Where do I park the van?", "nobody")).body)).not.toContain("Kaigate");
    await asked("claude-code?user=owner", "I am allergic to penicillin.", "said");
    await toldOf("codex?user=owner", "What am I allergic to?", "penicillin");
    const scopes = async (path: string) => (await app.call<Record<string, { scope: object }[]>>("GET", path)).body;
    const { sessions = [] } = await scopes("/v1/agents/shared/sessions?prefix=claude-code:said");
    const { facts = [] } = await scopes("/v1/agents/shared/facts");
    expect([...sessions, ...facts].map(({ scope }) => scope)).toEqual(Array(3).fill({ user: "owner" }));
    expect((await asked("codex?user=", "Good morning", "empty")).status).toBe(400);
  });

  test("a turn is stored once, and the next conversation knows it", async () => {
    const turn = { session_id: "turn", prompt_id: "p1" };
    await prompt("We deploy the shop on Thursdays only.", turn);
    await prompt("We deploy the shop on Thursdays only.", turn);
    await stop("Noted: the shop is deployed on Thursdays.", turn);
    await stop("Noted: the shop is deployed on Thursdays.", turn);
    await expect
      .poll(() => messages("claude-code:turn"))
      .toEqual(["user: We deploy the shop on Thursdays only.", "assistant: Noted: the shop is deployed on Thursdays."]);
    const question = "On which days do we deploy the shop?";
    await recalled(question, { session_id: "next" }, "Thursdays");
  });

  test("the conversation at hand is not quoted to itself", async () => {
    await prompt("The walrus server has ninety disks.", { session_id: "own" }, "own");
    expect(contextOf(await prompt("How many disks has the walrus server?", { session_id: "own" }, "own"))).toBe("");
    await recalled("How many disks has the walrus server?", { session_id: "other" }, "ninety disks", "own");
  });

  test("standing instructions are told when a conversation begins, and after its context was cut", async () => {
    await prompt("Always use tabs for indentation.", { session_id: "first" }, "wishes");
    await recalled("Rename the variable in parse.ts", { session_id: "second" }, "Always use tabs", "wishes");
    expect(contextOf(await prompt("thanks!", { session_id: "second" }, "wishes"))).toBe("");
    const started = async (source: string) =>
      contextOf((await hook({ hook_event_name: "SessionStart", source, session_id: "second" }, "wishes")).body);
    await expect.poll(() => started("compact")).toContain("Always use tabs");
  });

  test("words that nobody said are not stored", async () => {
    const at = { session_id: "machine" };
    await prompt("<task-notification>\n<task-id>b1</task-id>\nI live in Porto.\n</task-notification>", at);
    await prompt("I live in Porto.", { ...at, source: "system" });
    await prompt("I live in Porto.", { ...at, source: "loop_wakeup" });
    await prompt("I live in Porto.", { ...at, agent_id: "explore-1" });
    await prompt("/review I live in Porto.", at);
    await prompt("   ", at);
    await stop("", at);
    await stop("I looked at it.", { ...at, agent_id: "explore-1" });
    for (const event of ["PreCompact", "PostCompact", "SessionEnd", "SubagentStop", "Notification", "NextYear"])
      expect(await hook({ hook_event_name: event, compact_summary: "I live in Porto.", ...at })).toEqual({
        status: 200,
        body: {},
      });
    expect(await messages("claude-code:machine")).toEqual([]);
    await prompt("<system-reminder>\nThe user lives in Lund.\n</system-reminder>\nMy cat is called Miso.", at);
    await expect.poll(() => messages("claude-code:machine")).toEqual(["user: My cat is called Miso."]);
  });

  test("a path is no command", async () => {
    await prompt("/srv/app/main.ts does not compile", { session_id: "path" });
    await expect.poll(() => messages("claude-code:path")).toHaveLength(1);
  });

  test("each coding agent has sessions of its own", async () => {
    const turn = { session_id: "c1", turn_id: "t1" };
    const said = { ...turn, hook_event_name: "UserPromptSubmit", prompt: "The codex build runs on port 9191." };
    expect((await hook(said, "main", "codex")).status).toBe(200);
    await hook({ ...turn, hook_event_name: "Stop", last_assistant_message: "It does." }, "main", "codex");
    await expect
      .poll(() => messages("codex:c1"))
      .toEqual(["user: The codex build runs on port 9191.", "assistant: It does."]);
  });

  test("a key that may only search recalls, and stores nothing", async () => {
    const key = await app.key(["search"]);
    const said = { hook_event_name: "UserPromptSubmit", prompt: "Which port does staging use?", session_id: "reader" };
    const ask = async () => (await hook(said, "main", "claude-code", key)).body;
    await expect.poll(async () => contextOf(await ask())).toContain("8080");
    expect(await messages("claude-code:reader")).toEqual([]);
  });

  test("a key of another agent is refused, and an agent that does not exist has nothing to recall", async () => {
    const bound = await app.key(["agent:read", "agent:write"], { agentId: "main" });
    const said = { hook_event_name: "UserPromptSubmit", prompt: "Which port does staging use?" };
    expect((await hook(said, "secret", "claude-code", bound)).status).toBe(404);
    const reader = await app.key(["search"]);
    for (const answer of [
      await hook(said, "nobody", "claude-code", reader),
      await hook({ hook_event_name: "SessionStart" }, "nobody"),
    ])
      expect(answer).toMatchObject({ status: 200, body: {} });
    expect((await app.call("GET", "/v1/agents/nobody")).status).toBe(404);
  });

  test("a prompt is answered within two seconds by a memory that hangs, and is stored all the same", async () => {
    await app.call("POST", "/v1/agents", { id: "slow", settings: { facts: { capture: { extract: true } } } });
    await prompt("The slow agent has a note about the walrus.", { session_id: "before" }, "slow");
    model.fault = "hang";
    app.embedder.silent = true;
    try {
      const began = performance.now();
      await prompt("What did the walrus of the slow agent eat yesterday?", { session_id: "hang" }, "slow");
      // Without a limit of its own, the answer would take five seconds or more.
      expect(performance.now() - began).toBeLessThan(4500);
    } finally {
      app.embedder.silent = false;
      model.fault = undefined;
    }
    await expect.poll(() => messages("claude-code:hang", "slow")).toHaveLength(1);
  });

  test("a tenant has a limit of messages that are being stored, and goes on below it", async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => stop(`Answer ${n} of the flood.`, { session_id: "flood" })),
    );
    const refused = answers.filter(({ systemMessage = "" }) => systemMessage.includes("Too many messages"));
    expect(refused.length).toBeGreaterThan(0);
    const { body } = await app.call<{ sessions: { session: string; messages: number }[] }>(
      ...(["GET", "/v1/agents/main/sessions?prefix=claude-code:flood"] as const),
    );
    expect(body.sessions).toMatchObject([{ messages: answers.length - refused.length }]);
    expect(await stop("The flood is over.", { session_id: "flood" })).toEqual({});
  });

  test("hostile input is refused or cut", async () => {
    const refused = [
      { hook_event_name: "Stop", session_id: 7 },
      { hook_event_name: "Stop", session_id: "x".repeat(151) },
      { hook_event_name: "UserPromptSubmit", prompt: ["I live in Porto."] },
      { hook_event_name: "UserPromptSubmit", prompt: "hello there Porto", session_id: "a\nb" },
      { prompt: "I live in Porto." },
    ];
    for (const input of refused) {
      const { status, body } = await hook(input);
      expect([status, (body as unknown as ErrorBody).error.code]).toEqual([400, expect.stringMatching(/^invalid_/)]);
    }
    const many = await hook({ hook_event_name: "Stop", extra: Array.from({ length: 6000 }, () => 1) });
    expect(many.status).toBe(413);
    const long = `Look at this log: ${"line ".repeat(50_000)}`.trim();
    await prompt(long, { session_id: "long" });
    await expect.poll(() => messages("claude-code:long")).toEqual([`user: ${long}`]);
    expect((await hook({ hook_event_name: "UserPromptSubmit", prompt: `${long}${long}` })).status).toBe(413);
    const open = { hook_event_name: "UserPromptSubmit", prompt: "<system-reminder>\n".repeat(10_000) };
    expect((await hook(open)).status).toBe(200);
  });
});
