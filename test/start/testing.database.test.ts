import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { connectForTest, setup, startTestServer, type TestServer, teardown } from "../../src/start/testing.ts";

test("without a server, a test is told how to start one", async () => {
  await expect(connectForTest()).rejects.toThrow(/globalSetup.*test-global-setup/);
});

describe("the server that test files share", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ provider: "none" });
  });
  afterAll(() => server?.stop());

  test("gives each test file an empty memory of its own", async () => {
    const [one, other] = await Promise.all([connectForTest(), connectForTest()]);
    await one.client.agent("bot").files.put("MEMORY.md", "Petra has the spare key.");
    const { results } = await one.client.agent("bot").search("who has the spare key?");
    expect(results[0]?.path).toBe("MEMORY.md");
    await other.client.agent("bot").files.put("lunch.md", "We eat at noon.");
    expect((await other.client.agent("bot").search("who has the spare key?")).results).toEqual([]);
    // The application under test gets the address and the key.
    const app = createClient({ url: one.url, key: one.key });
    expect(await app.key()).toMatchObject({ scopes: ["tenant"] });
    await expect(createClient({ url: one.url }).key()).rejects.toMatchObject({ status: 401 });
  });
});

test("after the run the server is gone, and no test finds it", async () => {
  const server = await startTestServer({ provider: "none" });
  const { client } = await connectForTest();
  const loop = client.agent().watchStatus();
  await loop.next();
  const ends = expect(loop.next()).rejects.toThrow("This test server was stopped.");
  await server.stop();
  await ends;
  await expect(connectForTest()).rejects.toThrow("No server");
  await expect(client.key()).rejects.toThrow("This test server was stopped.");
});

test("a server that stops leaves the announcement of another", async () => {
  const first = await startTestServer({ provider: "none" });
  const second = await startTestServer({ provider: "none" });
  expect((await connectForTest()).url).toBe(second.url);
  await second.stop();
  expect((await connectForTest()).url).toBe(first.url);
  const third = await startTestServer({ provider: "none" });
  await first.stop();
  expect((await connectForTest()).url).toBe(third.url);
  await third.stop();
  await expect(connectForTest()).rejects.toThrow("No server");
});

test("the global setup of the recipe works with node:test", async () => {
  const recipe = readFileSync("docs/recipes/tests.md", "utf8");
  const block = /```ts\n(import \{ startTestServer.*?)```/s.exec(recipe)?.[1] ?? "";
  const entry = new URL("../../src/start/testing.ts", import.meta.url).href;
  const folder = mkdtempSync(join(tmpdir(), "recollect-setup-"));
  writeFileSync(join(folder, "setup.ts"), block.replace('"recollect/testing"', JSON.stringify(entry)));
  writeFileSync(
    join(folder, "bot.test.mjs"),
    `import { test } from "node:test";
     import { connectForTest } from ${JSON.stringify(entry)};
     test("a memory", async () => void (await (await connectForTest()).client.agent().files.put("a.md", "text")));`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ["--test", `--test-global-setup=${join(folder, "setup.ts")}`, join(folder, "bot.test.mjs")];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  rmSync(folder, { recursive: true });
  expect(stdout).toMatch(/pass 1\n/);
});

test("the projects of a run share the server, which stops after the last one", async () => {
  await Promise.all([setup(), setup()]);
  const { client, url } = await connectForTest();
  await teardown();
  expect((await connectForTest()).url).toBe(url);
  await teardown();
  await expect(client.key()).rejects.toThrow("This test server was stopped.");
  await expect(connectForTest()).rejects.toThrow("No server");
});

test("createRecollect waits for its model, and logs nothing, when it is asked to", async () => {
  const entry = new URL("../../src/start/create-recollect.ts", import.meta.url).href;
  const script = `
    const { createRecollect } = await import(${JSON.stringify(entry)});
    const recollect = await createRecollect({ log: "silent", waitForModel: true, env: { RECOLLECT_QUERY_EMBED_TIMEOUT_MS: "50" } });
    const memory = recollect.agent("bot");
    await memory.files.put("ports.md", "The gateway listens on 8080.");
    const { warning } = await memory.search("network endpoint of the proxy");
    console.log(JSON.stringify({ warning: warning ?? null }));
    await recollect.close();`;
  const file = join(mkdtempSync(join(tmpdir(), "recollect-log-")), "run.mjs");
  writeFileSync(file, script);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file]);
  rmSync(dirname(file), { recursive: true });
  expect(JSON.parse(stdout)).toEqual({ warning: null });
  expect(stderr).toBe("");
});
