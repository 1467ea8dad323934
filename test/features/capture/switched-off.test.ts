import { afterAll, beforeAll, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../../support/fact-app.ts";

let app: FactApp;
beforeAll(async () => {
  app = await startFactApp({ env: { RECOLLECT_FEATURES: "-capture" } });
});
afterAll(() => app.drop());

const messages = [{ role: "user", text: "I live in Oslo." }];
const append = async (more: object = {}) => {
  const path = "/v1/agents/main/sessions/chat/messages";
  return app.call<{ appended: number; captured?: object }>("POST", path, { messages, ...more });
};

test("messages are stored, and no facts; an append that asks for the capture learns why", async () => {
  const { status, body } = await append();
  expect([status, body.appended, body.captured]).toEqual([200, 1, undefined]);
  expect(await append({ capture: true })).toMatchObject({
    status: 200,
    body: {
      appended: 1,
      captured: { facts: [], stored: 0, warnings: ["Nothing was captured: capture is switched off on this server."] },
    },
  });
  expect(await app.list("main")).toEqual([]);
});

test("there is no route that captures", async () => {
  expect((await app.call("POST", "/v1/agents/main/capture", { messages })).status).toBe(404);
});

test("a hook of a coding agent stores the prompt of an agent whose facts a chat model finds", async () => {
  await app.call("POST", "/v1/agents", { id: "coder", settings: { facts: { capture: { extract: true } } } });
  const prompt = { hook_event_name: "UserPromptSubmit", prompt: "I live in Oslo.", session_id: "s1" };
  expect((await app.call("POST", "/v1/agents/coder/hooks/codex", prompt)).status).toBe(200);
  const texts = async () => {
    const path = "/v1/agents/coder/sessions/codex:s1";
    const { body } = await app.call<{ messages?: { text: string }[] }>("GET", path);
    return body.messages?.map(({ text }) => text);
  };
  await expect.poll(texts).toEqual(["I live in Oslo."]);
  expect(await app.list("coder")).toEqual([]);
});
