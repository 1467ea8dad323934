// Finds out whether hybrid search is ever worse than its better arm: asks every question of every
// set with every model, good and bad.
//
//   node bench/arms.ts [--models builtin,hashed-words,noise,turned] <folder of a set> …
//
// A set is a folder that `recollect eval` can read, or a language of test/data/languages. `builtin`
// is the built-in model of the settings (RECOLLECT_MODEL). `hashed-words` only recognises equal
// words. `noise` gives every text an unrelated vector. `turned` is the built-in model with the
// vectors of questions reversed, so that they lie elsewhere than the documents. The name of any
// other built-in model selects that model. The whole service runs in this process, on PGlite in
// memory, with default settings, ten hits and `minScore` 0. Prints nDCG@10 of the keyword arm, the
// vector arm and hybrid, the distance of hybrid from the better arm, and recall@10 of hybrid. Also
// compares the nDCG@10 of hybrid and the vector arm with the first model's: the mean difference,
// its 95 % interval, and the numbers of questions that are better and worse.

import { parseArgs } from "node:util";
import { createLogger } from "../src/base/logger.ts";
import { clientOf } from "../src/cli/shell/connected.ts";
import { readConfig } from "../src/config/config.ts";
import { openPglite } from "../src/db/pglite.ts";
import type { Embedder } from "../src/embeddings/embedder.ts";
import { MODEL_TABLE } from "../src/onnx/model-table.ts";
import { measure } from "../src/relevance/measures/measures.ts";
import { comparePaired, mean } from "../src/relevance/measures/statistics.ts";
import type { EmbeddingSettings } from "../src/service/embedding/embedder-registry.ts";
import { compose } from "../src/start/compose.ts";
import { embedderOpener } from "../src/wiring/open-embedder.ts";
import { askSearchSet, loadSearchSet, readSearchSet, type SearchSet } from "../test/support/search-sets.ts";
import { hashedWords, noise, turned } from "./support/odd-models.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { models: { type: "string", default: "builtin,hashed-words,noise,turned" } },
});

interface Measured {
  /** nDCG@10 of each question. */
  vector: readonly number[];
  hybrid: readonly number[];
}

console.log(
  "| set | model | keyword | vector | hybrid | above the better arm | recall@10 | hybrid − the first model's | vector |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const folder of positionals) {
  const set = await readSearchSet(folder);
  let first: Measured | undefined;
  for (const model of values.models.split(",")) {
    const measured = await measureSet(set, model, first);
    first ??= measured;
  }
}
process.exit(0);

/** @param first the figures of the first model; undefined if this is the first model */
async function measureSet(set: SearchSet, model: string, first: Measured | undefined): Promise<Measured> {
  const config = readConfig();
  const logger = createLogger("error");
  const open = embedderOpener(config, logger);
  const embedder = async (settings: EmbeddingSettings): Promise<Embedder | undefined> => {
    if (model === "hashed-words") return hashedWords();
    if (model === "noise") return noise();
    if (MODEL_TABLE.some(({ name }) => name === model)) return open({ ...settings, provider: "builtin", model });
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
      set.queries.map(({ judgements }, index) => measure(answers[index]?.[list] ?? [], judgements));
    const ndcg = (list: "found" | "keyword" | "vector") => of(list).map(({ ndcg10 }) => ndcg10);
    const measured = { vector: ndcg("vector"), hybrid: ndcg("found") };
    const [keyword, vector, hybrid] = [ndcg("keyword"), measured.vector, measured.hybrid].map(mean) as [
      number,
      number,
      number,
    ];
    const figures = [
      keyword,
      vector,
      hybrid,
      hybrid - Math.max(keyword, vector),
      mean(of("found").map(({ recall10 }) => recall10)),
    ];
    const against = (list: keyof Measured) => (first ? difference(first[list], measured[list]) : "");
    const cells = [set.name, model, ...figures.map((value) => value.toFixed(3)), against("hybrid"), against("vector")];
    console.log(`| ${cells.join(" | ")} |`);
    return measured;
  } finally {
    await runtime.close();
  }
}

/**
 * Formats a difference as `-0.002 (-0.006 to 0.001, +3 −5)`: the mean, its 95 % interval, and how
 * many questions are better and worse.
 */
function difference(before: readonly number[], after: readonly number[]): string {
  const { mean: by, low, high, wins, losses } = comparePaired(before, after);
  return `${by.toFixed(4)} (${low.toFixed(3)} to ${high.toFixed(3)}, +${wins} −${losses})`;
}
