import { afterEach, expect, test, vi } from "vitest";
import { createOpenAiEmbedder } from "../../src/embeddings/openai-embedder.ts";
import { startFakeEmbeddings } from "../support/fake-embeddings.ts";

afterEach(() => vi.unstubAllEnvs());

test("sends the configured headers, and nothing that it finds in the environment", async () => {
  for (const name of ["OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_API_KEY"]) {
    vi.stubEnv(name, "from-the-environment");
  }
  const fake = await startFakeEmbeddings(8);
  const headers = { "x-team": "search" };
  const embedder = await createOpenAiEmbedder({ baseUrl: fake.url, outputDimensionality: 8, headers });
  await embedder.embed(["one"], "query");
  await fake.close();
  expect(fake.requests[0]?.headers["x-team"]).toBe("search");
  expect(JSON.stringify(fake.requests[0])).not.toContain("from-the-environment");
});
