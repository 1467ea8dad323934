import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChunkPage } from "../../src/client/api.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
const chunksOf = <T = ChunkPage>(path: string, more = "", agent = "main") =>
  app.call<T>("GET", `/v1/agents/${agent}/chunks?path=${encodeURIComponent(path)}${more}`);

beforeAll(async () => {
  app = await startTestApp({});
  const parts = Array.from({ length: 30 }, (_, part) => `## Part ${part}\n\n${"Water flows downhill. ".repeat(60)}\n`);
  await app.put("long.md", `# Rivers\n\n${parts.join("\n")}`);
  await app.put("other.md", "Another file.");
  const messages = Array.from({ length: 9 }, (_, number) => ({ role: "user", text: `Message ${number} of the day.` }));
  await app.call("POST", "/v1/agents/main/sessions/slack:C1/messages", { messages, capture: false });
  await app.call("POST", "/v1/agents/main/facts", { facts: [{ text: "The bell is green." }] });
});
afterAll(() => app.drop());

test("the chunks of a file cover its lines in order, under their headings, each embedded or not yet", async () => {
  await app.embedded();
  const { body } = await chunksOf("long.md");
  expect(body.chunks.length).toBeGreaterThan(10);
  expect(body.chunks[0]?.startLine).toBe(1);
  for (const [at, chunk] of body.chunks.slice(1).entries()) {
    expect(chunk.startLine).toBeGreaterThanOrEqual(body.chunks[at]?.startLine ?? 0);
    expect(chunk.startLine).toBeLessThanOrEqual((body.chunks[at]?.endLine ?? 0) + 2);
  }
  expect(body.chunks.at(-1)?.heading).toMatch(/Rivers/);
  expect(body.chunks.every(({ embedded, messages }) => embedded === true && messages === undefined)).toBe(true);
});

test("pages follow each other without a gap or a repetition", async () => {
  const whole = (await chunksOf("long.md")).body.chunks;
  const paged: ChunkPage["chunks"] = [];
  let cursor: string | undefined;
  do {
    const { body } = await chunksOf("long.md", `&limit=7${cursor === undefined ? "" : `&cursor=${cursor}`}`);
    expect(body.chunks.length).toBeLessThanOrEqual(7);
    paged.push(...body.chunks);
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  expect(paged).toEqual(whole);
});

test("a conversation's chunks are its windows with their messages, a fact has one", async () => {
  await app.rested();
  const { body } = await chunksOf("sessions/slack:C1");
  expect(body.chunks[0]?.messages?.from).toBe(1);
  expect(body.chunks.at(-1)?.messages?.to).toBe(9);
  const { body: facts } = await app.call<{ facts: { id: string }[] }>("GET", "/v1/agents/main/facts");
  expect((await chunksOf(`facts/${facts.facts[0]?.id}`)).body.chunks).toHaveLength(1);
});

test.each([
  ["nothing.md", "", 404, "file_not_found"],
  ["../long.md", "", 400, "invalid_path"],
  ["long.md", "&cursor=bm9uc2Vuc2U", 400, "invalid_request"],
  ["long.md", "&cursor=%00", 400, "invalid_request"],
  ["long.md", "&limit=0", 400, "invalid_request"],
])("%s%s is refused", async (path, more, status, code) => {
  const answer = await chunksOf<ErrorBody>(path, more);
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
});

test("an index for keywords alone says that nothing is to be embedded; an agent without any memory has no file", async () => {
  const plain = await startTestApp({ embedder: undefined, on: app, worker: false });
  try {
    await plain.call("POST", "/v1/agents", { id: "plain" });
    await plain.put("a.md", "A note.", "plain");
    const { body } = await plain.call<ChunkPage>("GET", "/v1/agents/plain/chunks?path=a.md");
    expect(body.chunks).toEqual([{ startLine: 1, endLine: 1, heading: "", embedded: null }]);
  } finally {
    await plain.drop();
  }
  expect((await chunksOf<ErrorBody>("long.md", "", "absent")).status).toBe(404);
});
