import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { renderClientTypes } from "../../clients/typescript/generate-types.ts";
import type { ErrorCode } from "../../src/base/errors.ts";
import type * as client from "../../src/client/client.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("src/client/api-types.ts", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ embedder: undefined, worker: false });
  });
  afterAll(() => app.drop());

  test("is what the OpenAPI document says; `npm run client:types` writes it", async () => {
    const { body } = await app.call<object>("GET", "/openapi.json");
    const made = await renderClientTypes(body);
    expect(readFileSync("src/client/api-types.ts", "utf8")).toBe(made);
    // One line for each way in which a type is adapted to its users.
    expect(made).toContain("export interface ListedFile extends FileSummary {");
    expect(made).toContain("  current: CurrentVersion | null;");
    expect(made).toContain("  delete?: readonly string[] | undefined;");
    expect(made).toContain("  settings?: object | undefined;");
    expect(made).not.toMatch(/@enum|@description|components/);
  });
});

test("the client knows every error code of the server", () => {
  expectTypeOf<client.ErrorCode>().toEqualTypeOf<ErrorCode>();
});

test("what an outage has in common with an answer needs no distinction", () => {
  type Found = Awaited<ReturnType<client.AgentClient["search"]>>;
  expectTypeOf<Found["results"]>().toEqualTypeOf<client.SearchHit[]>();
  expectTypeOf<Found["warning"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Extract<Found, { unavailable: true }>["action"]>().toEqualTypeOf<string>();
  expectTypeOf<Exclude<Found, { unavailable: true }>["mode"]>().toEqualTypeOf<client.SearchMode>();
  expectTypeOf<Awaited<ReturnType<client.AgentClient["get"]>>["text"]>().toEqualTypeOf<string>();
});

test("data to send may hold read-only lists, objects of an interface type, and `undefined`", () => {
  interface Settings {
    provider: string;
  }
  const labels: readonly string[] = [];
  expectTypeOf<{ text: string; tags: typeof labels; key: undefined }>().toExtend<client.FactInput>();
  expectTypeOf<{ id: string; settings: Settings }>().toExtend<client.AgentInput>();
});
