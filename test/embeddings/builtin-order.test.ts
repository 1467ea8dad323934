import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";

test("a batch of mixed lengths comes back in the order of its texts, each as if it had been alone", async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), "recollect-models-"));
  const embedder = new BuiltinEmbedder({ cacheDir });
  const texts = Array.from({ length: 20 }, (_, i) => `note ${i} ${"about the deploy ".repeat((i * 7) % 13)}`);
  const together = await embedder.embed(texts, "document");
  for (const [i, text] of texts.entries()) {
    const [alone] = await embedder.embed([text], "query");
    const cosine = (alone ?? new Float32Array()).reduce((sum, value, d) => sum + value * (together[i]?.[d] ?? 0), 0);
    expect(cosine, text).toBeGreaterThan(0.999999);
  }
  await embedder.close();
  rmSync(cacheDir, { recursive: true, force: true });
});
