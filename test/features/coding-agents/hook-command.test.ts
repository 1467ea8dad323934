import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionPage } from "../../../src/service/sessions/read-sessions.ts";
import { cliOn, runCaptured } from "../../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

describe("recollect hook", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    await app.put("ports.md", "The staging gateway listens on port 8080.");
  });
  afterAll(() => app.drop());

  const turn = { session_id: "c1", turn_id: "t1", transcript_path: null, cwd: "/home/mina" };
  const hook = (input: unknown, ...argv: string[]) =>
    cliOn(app, undefined, { readInput: async () => JSON.stringify(input) })("hook", ...argv);

  test("prints the answer of the server, and the turn is stored", async () => {
    const prompt = "Which port does the staging gateway listen on?";
    const { code, out, err } = await hook({ ...turn, hook_event_name: "UserPromptSubmit", prompt }, "codex");
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toBeTypeOf("object");
    const end = { ...turn, hook_event_name: "Stop", last_assistant_message: "On port 8080." };
    expect(await hook(end, "codex")).toEqual({ code: 0, out: "{}\n", err: "" });
    await expect
      .poll(async () => {
        const { body } = await app.call<SessionPage>("GET", "/v1/agents/main/sessions/codex:c1");
        return body.messages?.map(({ role, text }) => `${role}: ${text}`);
      })
      .toEqual([`user: ${prompt}`, "assistant: On port 8080."]);
  });

  test("a conversation is for the owner, for another user, or for everybody", async () => {
    const input = { ...turn, hook_event_name: "Stop", last_assistant_message: "On port 8080." };
    const scopeOf = async (session_id: string, ...argv: string[]) => {
      expect(await hook({ ...input, session_id }, "codex", ...argv)).toMatchObject({ code: 0 });
      const path = `/v1/agents/main/sessions?prefix=codex:${session_id}`;
      const { body } = await app.call<{ sessions: { scope: object }[] }>("GET", path);
      return body.sessions[0]?.scope;
    };
    expect(await scopeOf("c2")).toEqual({ user: "owner" });
    expect(await scopeOf("c3", "--user", "ana & co")).toEqual({ user: "ana & co" });
    expect(await scopeOf("c4", "--user", "")).toEqual({});
  });

  test("no mistake gives the exit code with which a coding agent refuses a prompt", async () => {
    const input = { ...turn, hook_event_name: "Stop" };
    for (const argv of [["codex", "--colour"], ["codex", "more"], ["Codex!"], ["emacs"]])
      expect([argv, (await hook(input, ...argv)).code]).not.toEqual([argv, 2]);
    for (const program of ["Codex!", "emacs"])
      expect((await hook(input, program)).err).toMatch(/recollect hook codex, or recollect hook claude-code\./);
    expect((await hook({ hook_event_name: "Stop" }, "codex")).code).toBe(1);
    expect((await hook("no JSON", "codex")).code).toBe(1);
  });

  test("a server that is away is an error, and nothing is printed for the model", async () => {
    const connect = async () => ({
      fetch: () => Promise.reject(new TypeError("fetch failed")),
      close: async () => undefined,
      description: "http://127.0.0.1:7420",
    });
    const readInput = async () => "{}";
    const { code, out, err } = await runCaptured(["hook", "codex"], { connect, readInput });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("http://127.0.0.1:7420 did not answer");
  });
});
