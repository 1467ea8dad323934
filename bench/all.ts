// Prints all tables of retrieval quality in docs/BENCHMARKS.md and bench/notes. Runs one benchmark
// after the other and prints each table below its command.
//
//   [RECOLLECT_MODELS_DIR=…] node bench/all.ts <folder of data sets> > tables.md
//
// The folder has one subfolder per data set, in the form that `recollect eval` reads (locomo,
// scifact, cosqa-test, xquad-*, jsquad-ja, cmrc-zh …). The project's own sets are added. A run
// takes about an hour on two quiet cores. The benchmarks of speed need Postgres and a quiet
// machine; run them separately.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("Name the folder of the data sets: node bench/all.ts <folder>");
  process.exit(2);
}
const given = readdirSync(folder)
  .map((name) => join(folder, name))
  .filter((path) => existsSync(join(path, "qrels.tsv")));
const own = ["code", "tickets", "chat"].map((name) => `test/data/sets/${name}`);

const BENCHES: readonly (readonly string[])[] = [
  ["bench/keyword-arm.ts", folder],
  ["bench/languages.ts"],
  ["bench/arms.ts", ...own, ...given],
  ["bench/features.ts", ...own, "test/data/languages/ja", "examples/eval"],
  ["bench/scenarios.ts"],
  ["bench/builtin-models.ts"],
];

let failed = 0;
for (const bench of BENCHES) {
  console.log(`\n## node ${bench.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [...bench], { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) {
    failed++;
    console.log(`It failed with status ${status}.`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
