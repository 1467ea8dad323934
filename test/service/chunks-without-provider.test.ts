import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { endpointOf } from "../../src/embeddings/endpoint.ts";
import { jobCaller } from "../../src/service/core/authenticate.ts";
import type { EmbeddingSettings } from "../../src/service/embedding/embedder-registry.ts";
import { embedPending } from "../../src/service/indexing/embed-pending.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/**
 * The cuts of a text depend on the index and its model, not on whether the model's provider answers
 * at the moment.
 */

/** A model that reads less than a chunk may have. */
class ShortReader extends WordEmbedder {
  override readonly provider = "ollama";
  override readonly model = "bge-large";
  override readonly maxInputTokens = 512;
  readonly endpoint = endpointOf("ollama", undefined);
}

let database: TestDatabase;
let apps: TestApp[] = [];
let lines: string[] = [];
/** The error with which making an embedder fails. */
let failure: Error | undefined;
beforeEach(async () => {
  [database, apps, lines, failure] = [await openTestDatabase(), [], [], undefined];
});
afterEach(async () => {
  for (const app of apps.reverse()) await app.drop();
  await database.drop();
});

async function start(): Promise<TestApp> {
  const embedders = async ({ provider }: EmbeddingSettings) => {
    if (failure && provider === "ollama") throw failure;
    return new ShortReader();
  };
  const app = await startTestApp({
    embedders,
    worker: false,
    on: database,
    env: { RECOLLECT_LOG_LEVEL: "error" },
    log: { write: (line) => lines.push(line) },
  });
  apps.push(app);
  return app;
}

const TEXT = `# Long\n\n${Array.from({ length: 400 }, (_, i) => `Sentence number ${i} is here.`).join(" ")}\n`;

/** Writes the text as a file and as a message. */
async function write(app: TestApp, name: string): Promise<void> {
  expect((await app.put(`${name}.md`, TEXT)).status).toBe(200);
  const messages = [{ role: "user", content: TEXT }];
  expect((await app.call("POST", `/v1/agents/main/sessions/${name}/messages`, { messages })).status).toBe(200);
}

/** Returns the hashes of the chunks of each file or each conversation. */
async function hashes(owner: "file_id" | "session_id"): Promise<string[][]> {
  const { rows } = await database.db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'main'",
  );
  const { rows: chunks } = await database.db.executeSql<{ owner: string; hash: string }>(
    `SELECT ${owner} AS owner, hash FROM "${rows[0]?.schema}".chunks_1 WHERE ${owner} IS NOT NULL ORDER BY id`,
  );
  return [...Map.groupBy(chunks, (chunk) => chunk.owner).values()].map((one) => one.map(({ hash }) => hash));
}

const SETTINGS = { provider: "ollama", model: "bge-large", chunking: { tokens: 2000, overlap: 0 } };

test("while the provider is away, files and conversations get the chunks that they get while it is there", async () => {
  const there = await start();
  await there.call("POST", "/v1/agents", { id: "main", settings: SETTINGS });
  await write(there, "there");
  failure = new AppError("embedder_unavailable", "It does not answer.");
  await write(await start(), "away");
  // A missing key makes no difference either.
  failure = new AppError("config_invalid", "Set a key.");
  await write(await start(), "no-key");
  for (const owner of ["file_id", "session_id"] as const) {
    const [first = [], ...others] = await hashes(owner);
    expect(first.length).toBeGreaterThan(3);
    expect(others).toEqual([first, first]);
  }
  expect(lines).toEqual([]);
});

test("a process whose settings do not lead to the provider leaves the job to others", async () => {
  const there = await start();
  await there.call("POST", "/v1/agents", { id: "main", settings: SETTINGS });
  await write(there, "there");
  const { rows } = await database.db.executeSql<{ id: string }>("SELECT tenant_id AS id FROM recollect.agents");
  const embed = (app: TestApp) =>
    embedPending(app.runtime.deps, jobCaller(rows[0]?.id ?? ""), "main", new AbortController().signal, {
      turnMs: 600_000,
    });
  failure = new AppError("config_invalid", "Set a key.");
  const elsewhere = await start();
  await expect(embed(elsewhere)).rejects.toMatchObject({
    code: "embedder_unavailable",
    message: expect.stringContaining("The settings of this process do not lead to ollama · bge-large"),
  });
  failure = undefined;
  await embed(there);
  failure = new AppError("config_invalid", "Set a key.");
  await embed(elsewhere);
});

test("a fault of ours does not pass for a provider that is away: it is logged, and refuses no write", async () => {
  const there = await start();
  await there.call("POST", "/v1/agents", { id: "main", settings: SETTINGS });
  await write(there, "there");
  failure = new TypeError("make is not a function");
  await write(await start(), "faulty");
  expect(lines.join()).toContain("an embedder could not be made");
  expect(lines.join()).toContain("make is not a function");
});
