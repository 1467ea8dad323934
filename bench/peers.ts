// The same corpus, the same vectors and the same questions in Recollect and in peers that install from npm.
//
//   DATABASE_URL=postgres://… node bench/peers.ts <data set> … --peers <folder> [--only recollect,lancedb,…] [--json]
//
// The peers are no dependencies: in a folder of its own run
//   npm install sqlite-vec @lancedb/lancedb mem0ai pg openclaw
// and name it; a peer that is missing, or does not run, is reported with what it said. A data set is what `recollect eval`
// reads; each scope of it is a store of its own. Vectors are the built-in model's, computed once; peers that ask a provider
// get them from one in this process, which takes no time. Recollect is asked through HTTP, the others are in this process.
// Each question is asked once, one after the other, for ten hits with no floor of scores; ms a question, nDCG@10 by document.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ndcg, recall } from "../src/cli/eval/measures.ts";
import { readSearchSet, type SearchSet } from "../test/support/search-sets.ts";
import { percentile, printRows } from "./support/figures.ts";
import { openLance, openMem0, openOpenClaw, openRecollect, openSqlite } from "./support/peers.ts";
import { textVectors } from "./support/text-vectors.ts";
import { type KnownVectors, serveVectors } from "./support/vector-server.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { peers: { type: "string", default: "." }, only: { type: "string" }, json: { type: "boolean" } },
});
const OPENERS = {
  recollect: openRecollect,
  "sqlite-vec": openSqlite,
  lancedb: openLance,
  mem0: openMem0,
  openclaw: openOpenClaw,
};
const HITS = 10;
const chosen = flags.only?.split(",") ?? Object.keys(OPENERS);

/** The vectors of a set's documents and questions, by their texts. */
async function vectorsOf(set: SearchSet): Promise<KnownVectors> {
  const contents = [...set.agents.values()].flatMap(({ files }) => files.map(({ content }) => content));
  const questions = set.queries.map(({ text }) => text);
  const [ofContents, ofQuestions] = [await textVectors(contents), await textVectors(questions)];
  return new Map([
    ...contents.map((text, i) => [text, ofContents[i] ?? new Float32Array()] as const),
    ...questions.map((text, i) => [text, ofQuestions[i] ?? new Float32Array()] as const),
  ]);
}

type Row = Record<string, string | number | undefined>;

async function measurePeer(name: string, set: SearchSet, vectors: KnownVectors, providerUrl: string): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-peers-"));
  const open = OPENERS[name as keyof typeof OPENERS];
  try {
    const began = performance.now();
    const peer = await open({ set, vectors, providerUrl, folder, peers: resolve(flags.peers) });
    const loaded = (performance.now() - began) / 1000;
    const ms: number[] = [];
    const [gains, recalls]: [number[], number[]] = [[], []];
    for (const { text, scope, judgements } of set.queries) {
      const started = performance.now();
      const paths = await peer.search(scope, text, HITS);
      ms.push(performance.now() - started);
      const found = [...new Set(paths.map((path) => set.ids.get(path) ?? path))];
      gains.push(ndcg(found, judgements, HITS));
      recalls.push(recall(found, judgements, HITS));
    }
    await peer.close();
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const quality = { "nDCG@10": mean(gains).toFixed(4), "recall@10": mean(recalls).toFixed(4) };
    return {
      peer: name,
      ...quality,
      "p50 ms": percentile(ms, 0.5),
      "p95 ms": percentile(ms, 0.95),
      "loaded s": loaded,
    };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { peer: name, "nDCG@10": `does not run: ${said.split("\n")[0]?.slice(0, 160)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const dataset of positionals) {
  const set = await readSearchSet(dataset);
  const vectors = await vectorsOf(set);
  const provider = await serveVectors(vectors);
  const rows: Row[] = [];
  for (const name of chosen) {
    console.error(`${set.name}: ${name}`);
    rows.push(await measurePeer(name, set, vectors, provider.url));
  }
  printRows(`${set.name}, ${set.queries.length} questions, ${set.ids.size} documents`, rows);
  console.error(`texts that the provider had to embed: ${provider.unknown()}`);
  provider.close();
}
process.exit();
