import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionPage } from "../../../src/service/sessions/read-sessions.ts";
import { cliOn } from "../../support/cli-harness.ts";
import { startTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

test("what a hook has stored of a conversation is not imported again", async () => {
  const app = await startTestApp();
  const folder = mkdtempSync(join(tmpdir(), "recollect-hooked-"));
  const id = "5ede791b-b8ad-40c8-97d5-735129a3e2e0";
  const hook = (input: Record<string, unknown>) =>
    app.call("POST", "/v1/agents/hooked/hooks/claude-code", { session_id: id, prompt_id: "p1", ...input });
  await hook({ hook_event_name: "UserPromptSubmit", prompt: "The gateway has port 8080." });
  await hook({ hook_event_name: "Stop", last_assistant_message: "Noted." });
  const stored = async () => {
    const { body } = await app.call<SessionPage>("GET", `/v1/agents/hooked/sessions/claude-code:${id}`);
    return body.messages?.length === 2;
  };
  await until(stored, "the messages of the hooks");
  const line = (type: string, content: string, more = {}) =>
    `${JSON.stringify({ type, uuid: content, message: { role: type, content }, ...more })}\n`;
  const file = join(folder, `${id}.jsonl`);
  writeFileSync(
    file,
    line("user", "An earlier prompt.", { promptId: "p0" }) +
      line("assistant", "An earlier answer.") +
      line("user", "The gateway has port 8080.", { promptId: "p1" }) +
      line("assistant", "Let me look.") +
      line("assistant", "Noted."),
  );
  const { out } = await cliOn(app)("import", "claude-code", file, "--agent", "hooked", "--json");
  expect(JSON.parse(out)).toMatchObject({ messages: { found: 5, new: 3, known: 2 } });
  rmSync(folder, { recursive: true });
  await app.drop();
});
