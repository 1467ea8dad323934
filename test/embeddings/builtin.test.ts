import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";
import { processorTime } from "../support/processor-time.ts";

const TEXTS = [
  "Hello world",
  "const [open, setOpen] = useState(false); // ERR_CONNECTION_REFUSED at src/memory/hybrid.ts:12",
  "大阪の顧客を訪問した。カタカナと한국어 텍스트",
  "café naïve Zürich ﬁne 😀 emoji\u200d test",
  `${"a".repeat(150)} tail`,
  "word ".repeat(2000),
  "",
];

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  (a ?? new Float32Array()).reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0);

describe("the built-in embedder", () => {
  let cacheDir: string;
  let native: BuiltinEmbedder;
  const warnings: string[] = [];
  beforeAll(() => {
    cacheDir = mkdtempSync(join(tmpdir(), "recollect-models-"));
    native = new BuiltinEmbedder({ cacheDir, onWarning: (message) => warnings.push(message) });
  });
  afterAll(async () => {
    await native.close();
    rmSync(cacheDir, { recursive: true, force: true });
  });

  test("native and WebAssembly give the same unit vectors, in order", async () => {
    const wasm = new BuiltinEmbedder({ cacheDir, forceWasm: true });
    const [a, b] = await Promise.all([native.embed(TEXTS, "document"), wasm.embed(TEXTS, "document")]);
    await wasm.close();
    for (const [i, text] of TEXTS.entries()) {
      expect(Math.hypot(...(a[i] ?? [])), text).toBeCloseTo(1, 5);
      // Numbers on a rounding border are rounded differently. Also, processors without AVX512-VNNI
      // add eight-bit products with other instructions. The cosine is 0.9999 on a processor with
      // AVX512-VNNI and 0.9997 on one without it. Exact weights give 0.9999998, and two different
      // texts 0.2 to 0.9.
      expect(cosine(a[i], b[i]), text).toBeGreaterThan(0.9995);
    }
    // A warning about WebAssembly would mean that this test compared WebAssembly with itself.
    expect(warnings).toEqual([expect.stringMatching(/^1 text was longer than the 512 tokens/)]);
    expect(readdirSync(cacheDir)).toHaveLength(1);
  });

  test("near meanings are nearer than far ones", async () => {
    const [query, near, far] = await native.embed(
      ["How do I undo a release?", "Rolling back a deployment", "A recipe for apple pie"],
      "query",
    );
    expect(cosine(query, near)).toBeGreaterThan(cosine(query, far) + 0.2);
  });

  test("no texts, no vectors", async () => {
    expect(await native.embed([], "document")).toEqual([]);
  });

  test("reports what a request was", async () => {
    const reports: unknown[] = [];
    await native.embed(["four words are here", "word ".repeat(2000)], "document", undefined, (usage) =>
      reports.push(usage),
    );
    expect(reports).toEqual([{ tokens: 6 + native.maxInputTokens, cutTexts: 1 }]);
  });

  test("a query does not wait for a long batch, and the event loop stays free", async () => {
    const own = processorTime();
    const before = process.cpuUsage();
    const order: string[] = [];
    const long = Array.from({ length: 24 }, (_, i) => `document ${i} `.repeat(150));
    const batch = native.embed(long, "document").then(() => order.push("batch"));
    const query = native.embed(["a short question"], "query").then(() => order.push("query"));
    await Promise.all([batch, query]);
    const all = process.cpuUsage(before);
    expect(order).toEqual(["query", "batch"]);
    // The model computes on separate threads; this thread only hands it texts: 0.2 % of the work.
    expect(own() / ((all.user + all.system) / 1000)).toBeLessThan(0.05);
  });

  test("an aborted batch ends at once and leaves the others alone", async () => {
    const stop = new AbortController();
    const doomed = native.embed(Array(50).fill("long text ".repeat(100)), "document", stop.signal);
    const other = native.embed(["survivor"], "document");
    stop.abort(new Error("stopping"));
    await expect(doomed).rejects.toThrow("stopping");
    expect(await other).toHaveLength(1);
  });

  test("starts again after it was closed, and rejects what was under way", async () => {
    const embedder = new BuiltinEmbedder({ cacheDir });
    await embedder.embed(["first"], "document");
    const lost = embedder.embed(Array(50).fill("long text ".repeat(100)), "document");
    const outcome = expect(lost).rejects.toMatchObject({ code: "embedder_unavailable" });
    await embedder.close();
    await outcome;
    expect(await embedder.embed(["again"], "document")).toHaveLength(1);
    await embedder.close();
  });
});
