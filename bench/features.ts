// Measures the worth of each ranking feature: asks every question of every set with the default
// settings, and with one setting changed.
//
//   [RECOLLECT_PROVIDER=builtin] node bench/features.ts <folder of a set> …
//
// A set is a folder that `recollect eval` can read. The whole service runs in this process, on
// PGlite in memory, with ten hits, counted by document. Prints a Markdown table of nDCG@10 /
// recall@5. Each variant is asked with the default floor, which often leaves too few hits to order,
// and with `minScore` 0. The numbers in brackets say how many questions are better and worse
// (nDCG@10) than with the default settings and the same floor. A star marks a difference that
// chance causes in less than one of twenty cases (randomisation test).

import { createLogger } from "../src/base/logger.ts";
import { clientOf } from "../src/cli/shell/connected.ts";
import { readConfig } from "../src/config/config.ts";
import { openPglite } from "../src/db/pglite.ts";
import { type Judgements, measure } from "../src/relevance/measures/measures.ts";
import { comparePaired, mean } from "../src/relevance/measures/statistics.ts";
import { compose } from "../src/start/compose.ts";
import {
  askSearchSet,
  loadSearchSet,
  readSearchSet,
  type SearchSet,
  type SetAnswer,
  settled,
} from "../test/support/search-sets.ts";

const VARIANTS: Record<string, Record<string, unknown>> = {
  "`query.namedFiles` off": { query: { namedFiles: false } },
  "`query.deduplicate` off": { query: { deduplicate: false } },
  "`query.mergeNeighbours` off": { query: { mergeNeighbours: false } },
  "`query.hybrid.mmr` on, λ 0.7": { query: { hybrid: { mmr: { enabled: true, lambda: 0.7 } } } },
  "`query.hybrid.temporalDecay` on, 30 days": { query: { hybrid: { temporalDecay: { enabled: true } } } },
  "`query.hybrid.fusion` weighted": { query: { hybrid: { fusion: "weighted" } } },
  "`query.hybrid.fusion` rrf": { query: { hybrid: { fusion: "rrf" } } },
  "`chunking.headings` off": { chunking: { headings: false } },
};
const DEFAULT = "default settings";

const runtime = await compose(readConfig(), {
  logger: createLogger("warn"),
  worker: true,
  keyless: true,
  database: await openPglite(),
});
const client = clientOf({
  fetch: async (path, init) => runtime.app.request(path, init),
  description: "in this process",
});

const columns: { name: string; cells: Map<string, string> }[] = [];
try {
  for (const folder of process.argv.slice(2)) {
    const set = await readSearchSet(folder);
    columns.push({ name: `${set.name} (${set.queries.length})`, cells: await measureSet(set) });
  }
} finally {
  await runtime.close();
}
const line = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
line(["", ...columns.map((column) => column.name)]);
line(["---", ...columns.map(() => "---")]);
for (const row of columns[0]?.cells.keys() ?? []) line([row, ...columns.map(({ cells }) => cells.get(row) ?? "")]);

type Asked = Record<"floor" | "floorless", SetAnswer[]>;

async function measureSet(set: SearchSet): Promise<Map<string, string>> {
  const agents = [...set.agents.values()].map((agent) => agent.id);
  await loadSearchSet(client, set);
  const usual = await ask(set);
  const floor = new Map([
    [DEFAULT, cell(set, found(usual.floor))],
    ["right answers in ten hits that the floor takes", taken(set, usual)],
  ]);
  const without = found(usual.floorless);
  const floorless = new Map([
    [`${DEFAULT}, no floor`, cell(set, without, found(usual.floor))],
    ["keyword arm alone, no floor", cell(set, armOf(usual.floorless, "keyword"), without)],
    ["vector arm alone, no floor", cell(set, armOf(usual.floorless, "vector"), without)],
  ]);
  for (const [name, patch] of Object.entries(VARIANTS)) {
    for (const agent of agents) await client.agents.change(agent, { settings: patch });
    await settled(client, set);
    const asked = await ask(set);
    // These agents have no settings of their own to go back to.
    const none = Object.fromEntries(Object.keys(patch).map((key) => [key, null]));
    for (const agent of agents) await client.agents.change(agent, { settings: none });
    floor.set(name, cell(set, found(asked.floor), found(usual.floor)));
    floorless.set(`${name}, no floor`, cell(set, found(asked.floorless), without));
    console.error(`${set.name}: ${name}: ${floor.get(name)}`);
  }
  return new Map([...floor, ...floorless]);
}

async function ask(set: SearchSet): Promise<Asked> {
  const floor = await askSearchSet(client, set);
  return { floor, floorless: await askSearchSet(client, set, { minScore: 0 }) };
}

function found(answers: readonly SetAnswer[]): string[][] {
  return answers.map((answer) => answer.found);
}

function armOf(answers: readonly SetAnswer[], arm: "keyword" | "vector"): string[][] {
  return answers.map((answer) => answer[arm].slice(0, 10));
}

/**
 * Formats the figures of rankings, one ranking per question, and their difference from `before`.
 */
function cell(set: SearchSet, rankings: readonly string[][], before?: readonly string[][]): string {
  const of = (lists: readonly string[][]) =>
    set.queries.map(({ judgements }, index) => measure(lists[index] ?? [], judgements));
  const measured = of(rankings);
  const ndcg = measured.map((one) => one.ndcg10);
  const figures = `${mean(ndcg).toFixed(3)} / ${mean(measured.map((one) => one.recall5)).toFixed(3)}`;
  if (!before) return figures;
  const previous = of(before).map((one) => one.ndcg10);
  const { wins, losses, p } = comparePaired(previous, ndcg);
  return wins + losses === 0 ? figures : `${figures} (+${wins} −${losses})${p < 0.05 ? "\\*" : ""}`;
}

function taken(set: SearchSet, { floor, floorless }: Asked): string {
  const right = (ids: readonly string[] | undefined, judgements: Judgements) =>
    (ids ?? []).filter((id) => (judgements.get(id) ?? 0) > 0);
  let all = 0;
  let gone = 0;
  for (const [index, { judgements }] of set.queries.entries()) {
    const answers = right(floorless[index]?.found, judgements);
    all += answers.length;
    gone += answers.filter((id) => !floor[index]?.found.includes(id)).length;
  }
  return `${gone} of ${all}`;
}
