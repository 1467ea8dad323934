import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { expect, expectTypeOf, test } from "vitest";
import type { PROVIDERS } from "../../src/base/providers.ts";
import { createRecollect, RecollectError, type RecollectOptions } from "../../src/start/create-recollect.ts";
import { startTestServer } from "../../src/start/testing.ts";

const refusalOf = (options: unknown) =>
  createRecollect(options as object).then(
    async (recollect) => {
      await recollect.close();
      return "It started.";
    },
    (error: unknown) => (error instanceof RecollectError ? `${error.code}: ${error.message}` : String(error)),
  );

test.each([
  [{ datadir: "x" }, "There is no option datadir. Did you mean dataDir?"],
  [{ enviroment: {} }, "There is no option enviroment."],
  ["memory", "The options must be an object with some of the properties dataDir, "],
  [null, "The options must be an object"],
  [{ dataDir: "" }, "The options are not valid. dataDir: must not be empty"],
  [{ dataDir: 5 }, "The options are not valid. dataDir: must be a text"],
  [{ databaseUrl: "" }, "The options are not valid. databaseUrl: must not be empty"],
  [{ databaseUrl: "mysql://secret" }, "The options are not valid. databaseUrl: must begin with postgres://."],
  [{ provider: "nope" }, "The options are not valid. provider: must be one of "],
  [{ log: "loud" }, "The options are not valid. log: must be one of "],
  [{ waitForModel: "yes" }, "The options are not valid. waitForModel: must be true or false."],
  [{ env: "x" }, "The options are not valid. env: must be an object of variables."],
  [
    { env: { RECOLLECT_PROVIDR: "none" } },
    "The options are not valid. env: There is no variable RECOLLECT_PROVIDR. Did you mean RECOLLECT_PROVIDER?",
  ],
  [
    { provider: "openai" },
    "The provider openai needs a key: set OPENAI_API_KEY. Variables are read from the option env only, ",
  ],
  [{ env: { RECOLLECT_SPEED: "9" } }, "The options are not valid. env: There is no variable RECOLLECT_SPEED."],
  [{ env: { RECOLLECT_PORT: "x" } }, "The environment is not valid. RECOLLECT_PORT: "],
])("the options %j are refused", async (options, message) => {
  const refusal = await refusalOf(options);
  expect(refusal.slice(0, `config_invalid: ${message}`.length)).toBe(`config_invalid: ${message}`);
  expect(refusal).not.toContain("secret");
});

test("every provider can be named", () => {
  expectTypeOf<NonNullable<RecollectOptions["provider"]>>().toEqualTypeOf<(typeof PROVIDERS)[number]>();
});

test("a test server refuses the same options", async () => {
  const start = (options: unknown) => startTestServer(options as object);
  await expect(start({ datadir: "x" })).rejects.toMatchObject({ name: "RecollectError", code: "config_invalid" });
  await expect(start(null)).rejects.toMatchObject({ name: "RecollectError", code: "config_invalid" });
});

test("a folder that is open twice in one process is said to be open here", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "recollect-twice-"));
  const recollect = await createRecollect({ dataDir, provider: "none" });
  expect(await refusalOf({ dataDir, provider: "none" })).toBe(
    `data_folder_in_use: The data folder ${dataDir} is already open in this process: use that instance, or close it first.`,
  );
  await recollect.close();
  expect(await refusalOf({ dataDir, provider: "none" })).toBe("It started.");
  rmSync(dataDir, { recursive: true });
});

test("writes and searches go on while the clock of the program's tests stands still", async () => {
  const recollect = await createRecollect({ provider: "none", log: "silent" });
  const memory = recollect.agent("clock");
  mock.timers.enable();
  try {
    await memory.files.put("a.md", `An apple.\n${"Many words. ".repeat(20_000)}`);
    await memory.sessions.append({ session: "s", messages: [{ role: "user", content: "I live in Bergen." }] });
    await memory.facts.add({ text: "The pear is ripe." });
    expect((await memory.search("apple")).results[0]?.path).toBe("a.md");
    expect((await memory.recall({ message: "what happened yesterday?" })).facts).toBeDefined();
  } finally {
    mock.timers.reset();
  }
  await recollect.close();
});

test("an aborted call of an embedded instance rejects as a server's does", async () => {
  const recollect = await createRecollect({ provider: "none", log: "silent" });
  const aborted = recollect.agent("main", { signal: AbortSignal.abort() });
  await expect(aborted.files.put("p.md", "x")).rejects.toMatchObject({ name: "AbortError" });
  await expect(aborted.facts.add({ text: "x" })).rejects.toMatchObject({ name: "AbortError" });
  await expect(aborted.search("x")).rejects.toMatchObject({ name: "AbortError" });
  expect((await recollect.agent().files.list()).files).toEqual([]);
  const ending = new AbortController();
  const content = "Many words stand here. ".repeat(5000);
  const put = Array.from({ length: 20 }, (_, index) => ({ path: `n${index}.md`, content: `${content}${index}` }));
  const writing = recollect.agent("main", { signal: ending.signal }).files.write({ put });
  ending.abort(new Error("enough"));
  await expect(writing).rejects.toThrow("enough");
  await recollect.close();
});
