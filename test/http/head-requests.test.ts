import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("HEAD", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", "A note.");
  });
  afterAll(() => app.drop());

  const head = (path: string) => app.runtime.app.request(path, { method: "HEAD" });

  test("of an archive keeps no place for exports", async () => {
    for (let i = 0; i < 6; i++) expect((await head("/v1/agents/main/archive")).status).toBe(200);
    const exported = await app.runtime.app.request("/v1/agents/main/archive");
    expect(exported.status).toBe(200);
    await exported.arrayBuffer();
  });

  test("of a stream of events keeps no stream open", async () => {
    for (let i = 0; i < 12; i++) expect((await head("/v1/agents/main/events")).status).toBe(200);
  });
});
