import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.put("pumps.md", "# Pumps\n\nThe spare pump stands on shelf 12.");
  await app.call("POST", "/v1/agents/main/facts", { facts: [{ text: "The pumps are serviced in May." }] });
  await app.embedded();
  await app.rested();
});
afterAll(() => app.drop());

const PATHS = ["/v1/agents/main/search", "/v1/agents/main/tools/memory_search"];

/**
 * Returns the answers of both routes without the differences of two requests: the id, the duration,
 * and a fact's fading in between.
 */
async function both(body: unknown, key?: string) {
  const answers = await Promise.all(PATHS.map((path) => app.call<Record<string, unknown>>("POST", path, body, key)));
  const ofBoth = (name: string, value: unknown) => {
    if (/^(requestId|instance)$|ms$/i.test(name)) return undefined;
    return typeof value === "number" ? Math.round(value * 1e6) / 1e6 : value;
  };
  return answers.map(({ status, body }) => JSON.parse(JSON.stringify({ ...body, status }, ofBoth)));
}

test.each([
  ["a question", { query: "spare pump" }, 200],
  ["options and an explanation", { query: "pumps", maxResults: 1, minScore: 0, corpus: "facts", explain: true }, 200],
  ["no question", { query: "" }, 400],
])("POST …/search answers as the tool memory_search does: %s", async (_, body, status) => {
  const [plain, tool] = await both(body);
  expect(plain).toMatchObject({ status });
  expect(plain).toEqual(tool);
});

test("only the tool, which models call, takes a field that is none", async () => {
  const [plain, tool] = await both({ query: "pump", most: 3 });
  expect(plain).toMatchObject({ status: 400, code: "invalid_request" });
  expect(tool).toMatchObject({ status: 200, note: expect.stringContaining('Ignored "most"') });
});

test("they need the same scope, and are described by the same schemas", async () => {
  const [writer, reader] = [await app.key(["agent:write"], { agentId: "main" }), await app.key(["search"])];
  for (const [key, status] of [
    [writer, 403],
    [reader, 200],
  ] as const) {
    const [plain, tool] = await both({ query: "pump" }, key);
    expect([plain, tool.status]).toEqual([tool, status]);
  }
  interface Described {
    paths: Record<string, { post: { requestBody: unknown; responses: unknown; security: unknown } }>;
  }
  const { body } = await app.call<Described>("GET", "/openapi.json");
  const [plain, tool] = PATHS.map((path) => body.paths[path.replace("/main/", "/{agentId}/")]?.post);
  expect(plain?.requestBody).toEqual(tool?.requestBody);
  expect([plain?.responses, plain?.security]).toEqual([tool?.responses, tool?.security]);
});
