import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";
import { locateModel } from "../../src/onnx/locate-model.ts";

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  (a ?? new Float32Array()).reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0);

describe("the built-in embedder's native engine", () => {
  let root: string;
  let cacheDir: string;
  const embedders: BuiltinEmbedder[] = [];
  /** The embedders' warnings about falling back to WebAssembly. */
  const warnings: string[] = [];
  const onWarning = (message: string) => {
    if (message.includes("WebAssembly")) warnings.push(message);
  };
  const open = (options: Omit<ConstructorParameters<typeof BuiltinEmbedder>[0], "onWarning">) => {
    const embedder = new BuiltinEmbedder({ ...options, onWarning });
    embedders.push(embedder);
    return embedder;
  };
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "recollect-models-"));
    cacheDir = join(root, "not yet", "there");
  });
  afterEach(async () => {
    for (const embedder of embedders.splice(0)) await embedder.close();
    warnings.length = 0;
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test("two first starts at once in one process both run, and leave one file", async () => {
    const texts = ["one start", "another start"];
    const starts = [open({ cacheDir }), open({ cacheDir })].map((embedder) => embedder.embed(texts, "document"));
    const [a, b] = await Promise.all(starts);
    expect(a).toEqual(b);
    expect(warnings).toEqual([]);
    expect(readdirSync(cacheDir)).toEqual([expect.stringMatching(/\.onnx$/)]);
  });

  test.each([
    ["cut off to nothing", Buffer.alloc(0)],
    ["something else", Buffer.from("not a graph ".repeat(100_000))],
  ])("a cached graph that is %s is made again", async (what, content) => {
    const [name = ""] = readdirSync(cacheDir);
    const damaged = mkdtempSync(join(root, "damaged-"));
    writeFileSync(join(damaged, name), content);
    expect(await open({ cacheDir: damaged }).embed([what], "document")).toHaveLength(1);
    expect(await open({ cacheDir: damaged }).embed([what], "document")).toHaveLength(1);
    expect(warnings).toEqual([]);
    expect(readdirSync(damaged)).toEqual([name]);
  });

  test("runs where nothing can be kept", async () => {
    const file = join(root, "file");
    writeFileSync(file, "");
    expect(await open({ cacheDir: join(file, "below a file") }).embed(["no cache"], "document")).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test("reads text as WebAssembly does, however odd", async () => {
    const texts = [
      "ΟΔΟΣ ΣΊΣΥΦΟΣ, İstanbul, Straße ẞ, Łódź",
      "cafe\u0301 A\u030angstro\u0308m",
      "[CLS] not a token, is it? [SEP]x[MASK] [sep]",
      "a\u00adb\u200bc\ufeffd\u2028e\u0085f\u000bg",
      "x\ud800y \ud800",
      " \n\t ",
      "Shipped 🚀🎉 by 👩‍👩‍👧 and 🇯🇵",
      "我们把账单任务从定时任务迁移到队列。",
      `${" ".repeat(60_000)}the words come late`,
      `${`${"x".repeat(9_000)} `.repeat(8)}the words come late`,
    ];
    // Uses exact weights, because numbers on a rounding border differ a little between the two
    // engines.
    const exact = { cacheDir: join(root, "exact"), located: locateModel("all-MiniLM-L6-v2", "embedding", undefined) };
    const [native, wasm] = await Promise.all([
      open(exact).embed(texts, "document"),
      open({ ...exact, forceWasm: true }).embed(texts, "document"),
    ]);
    const different = texts.filter((_, i) => !(cosine(native[i], wasm[i]) >= 0.99999));
    expect(different).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test("a text's vector does not depend on the texts beside it", async () => {
    const embedder = open({ cacheDir });
    const texts = ["short", "a somewhat longer text ".repeat(40), "another short one"];
    const together = await embedder.embed(texts, "document");
    for (const [i, text] of texts.entries()) expect(await embedder.embed([text], "query")).toEqual([together[i]]);
  });

  test.each([
    ["is closed", "embedder.close(); await embedder.close();", 5],
    ["is left alone after an abort", "stop.abort();", 1],
  ])("a process whose embedder %s in the middle of a text ends well", async (_what, ending, rounds) => {
    const module = new URL("../../src/embeddings/builtin-embedder.ts", import.meta.url);
    // Runs in a separate process, because interrupted native code ends the whole process (SIGABRT).
    const script = `
      import { setTimeout } from "node:timers/promises";
      import { BuiltinEmbedder } from ${JSON.stringify(module.href)};
      const embedder = new BuiltinEmbedder({ cacheDir: ${JSON.stringify(cacheDir)} });
      for (let round = 1; round <= ${rounds}; round++) {
        const stop = new AbortController();
        const texts = Array(20).fill("long text ".repeat(300));
        const documents = embedder.embed(texts, "document", stop.signal).catch(() => console.log("rejected"));
        // The query overtakes the documents. A little after its answer the model works on the next
        // document, and in each round it has got further with it.
        await embedder.embed(["question"], "query");
        await setTimeout(15 * round);
        ${ending}
        await documents;
      }`;
    const file = join(root, "script.mjs");
    writeFileSync(file, script);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    expect(stdout).toBe("rejected\n".repeat(rounds));
  });

  test("what was aborted is not worked off", async () => {
    const embedder = open({ cacheDir });
    await embedder.embed(["ready"], "query");
    const stop = new AbortController();
    // At a few dozen texts a second these 30,000 texts would take longer than the test may run.
    const doomed = Array.from({ length: 30 }, () =>
      embedder.embed(Array(1000).fill("long text ".repeat(200)), "document", stop.signal),
    );
    stop.abort(new Error("stopping"));
    for (const embedding of doomed) await expect(embedding).rejects.toThrow("stopping");
    expect(await embedder.embed(["last in the queue"], "document")).toHaveLength(1);
    await expect(embedder.embed(["late"], "document", stop.signal)).rejects.toThrow("stopping");
  });
});
