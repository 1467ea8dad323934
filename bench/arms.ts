// Whether hybrid search is ever below its better arm: every question of every set with every model, good and bad.
//
//   node bench/arms.ts [--models builtin,hashed-words,noise,turned] <folder of a set> …
//
// A set is what `recollect eval` reads, or a language of test/data/languages. `builtin` is the built-in model of the settings
// (RECOLLECT_MODEL), `hashed-words` knows equal words only, to `noise` every text is another, `turned` is the built-in model whose
// questions lie elsewhere than its documents. The whole service in this process, on PGlite in memory, default settings, ten hits
// with `minScore` 0. Prints nDCG@10 of the keyword arm, the vector arm and hybrid, and how far hybrid lies from the better arm.

import { parseArgs } from "node:util";
import { createLogger } from "../src/base/logger.ts";
import { measure } from "../src/cli/eval/measures.ts";
import { mean } from "../src/cli/eval/statistics.ts";
import { clientOf } from "../src/cli/shell/connected.ts";
import { readConfig } from "../src/config/config.ts";
import { openPglite } from "../src/db/pglite.ts";
import type { Embedder } from "../src/embeddings/embedder.ts";
import type { EmbeddingSettings } from "../src/service/embedding/embedder-registry.ts";
import { compose } from "../src/start/compose.ts";
import { embedderOpener } from "../src/start/open-embedder.ts";
import { askSearchSet, loadSearchSet, readSearchSet, type SearchSet } from "../test/support/search-sets.ts";
import { hashedWords, noise, turned } from "./support/odd-models.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { models: { type: "string", default: "builtin,hashed-words,noise,turned" } },
});

console.log("| set | model | keyword | vector | hybrid | above the better arm |");
console.log("| --- | --- | --- | --- | --- | --- |");
for (const folder of positionals)
  for (const model of values.models.split(",")) await measureSet(await readSearchSet(folder), model);
process.exit(0);

async function measureSet(set: SearchSet, model: string): Promise<void> {
  const config = readConfig();
  const logger = createLogger("error");
  const open = embedderOpener(config, logger);
  const embedder = async (settings: EmbeddingSettings): Promise<Embedder | undefined> => {
    if (model === "hashed-words") return hashedWords();
    if (model === "noise") return noise();
    const builtin = await open(settings);
    return model === "turned" && builtin ? turned(builtin) : builtin;
  };
  const database = await openPglite();
  const runtime = await compose(config, { logger, worker: true, keyless: true, database, embedder });
  const client = clientOf({
    fetch: async (path, init) => runtime.app.request(path, init),
    description: "in this process",
  });
  try {
    await loadSearchSet(client, set);
    const answers = await askSearchSet(client, set, { minScore: 0 });
    const of = (list: "found" | "keyword" | "vector") =>
      mean(set.queries.map(({ judgements }, index) => measure(answers[index]?.[list] ?? [], judgements).ndcg10));
    const [keyword, vector, hybrid] = [of("keyword"), of("vector"), of("found")];
    const above = hybrid - Math.max(keyword, vector);
    const cells = [set.name, model, ...[keyword, vector, hybrid].map((value) => value.toFixed(3)), above.toFixed(3)];
    console.log(`| ${cells.join(" | ")} |`);
  } finally {
    await runtime.close();
  }
}
