// Compares Recollect with peers that install from npm, on the same corpus, the same vectors and the
// same questions.
//
//   DATABASE_URL=postgres://… node bench/peers.ts <data set> … [--sessions <LoCoMo>]
//     --peers <folder> [--only recollect,lancedb,…] [--json]
//
// The peers are not dependencies of this project. In a separate folder run
//   npm install sqlite-vec @lancedb/lancedb mem0ai pg openclaw
// and name that folder. A peer that is missing or does not run is reported with its error. A data
// set is a folder that `recollect eval` can read; each scope of it gets a separate store. The
// vectors come from the built-in model and are computed once. Peers that ask a provider get them
// from one in this process, which takes no time. Recollect is asked through HTTP; the peers run in
// this process. Each question is asked once, one after the other, for ten hits without a floor of
// scores. The table has ms a question and nDCG@10 by document. With --sessions, the sittings of
// LoCoMo are appended to Recollect as sessions. The peers store documents, so they are measured
// with two cuts of each sitting: into pieces of three messages, as Recollect cuts it, and into
// pieces of up to 2,000 characters, as long as Recollect shows a hit. R@k is the share of the
// answering messages that the first k hits show.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ndcg, recall } from "../src/relevance/measures/measures.ts";
import { readSearchSet, type SearchSet } from "../test/support/search-sets.ts";
import { percentile, printRows } from "./support/figures.ts";
import { openLance, openMem0, openOpenClaw, openRecollect, openSqlite } from "./support/peers.ts";
import { type Cut, documentsOf, readSessionSet, type SessionSet, shownBy } from "./support/session-sets.ts";
import { textVectors } from "./support/text-vectors.ts";
import { type KnownVectors, serveVectors } from "./support/vector-server.ts";

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    peers: { type: "string", default: "." },
    only: { type: "string" },
    sessions: { type: "string" },
    json: { type: "boolean" },
  },
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

/** Returns the vectors of a set's documents and questions, by their texts. */
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

/** A set, with everything that its peers are measured by. */
interface Asked {
  set: SearchSet;
  vectors: KnownVectors;
  providerUrl: string;
  sessions?: SessionSet;
  /** Returns the figures of one question's hits. */
  score(question: number, paths: readonly string[]): Record<string, number>;
}

async function measurePeer(name: string, label: string, { score, ...asked }: Asked): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-peers-"));
  const open = OPENERS[name as keyof typeof OPENERS];
  try {
    const began = performance.now();
    const peer = await open({ ...asked, folder, peers: resolve(flags.peers) });
    const loaded = (performance.now() - began) / 1000;
    const ms: number[] = [];
    const sums: Record<string, number> = {};
    for (const [question, { text, scope }] of asked.set.queries.entries()) {
      const started = performance.now();
      const paths = await peer.search(scope, text, HITS);
      ms.push(performance.now() - started);
      for (const [figure, value] of Object.entries(score(question, paths))) sums[figure] = (sums[figure] ?? 0) + value;
    }
    await peer.close();
    const means = Object.entries(sums).map(([figure, sum]) => [figure, shown(sum / asked.set.queries.length)] as const);
    const times = { "p50 ms": percentile(ms, 0.5), "p95 ms": percentile(ms, 0.95), "loaded s": loaded };
    return { peer: label, ...Object.fromEntries(means), ...times };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { peer: label, result: `does not run: ${said.split("\n")[0]?.slice(0, 160)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function shown(value: number): string {
  return value > 1 ? value.toFixed(0) : value.toFixed(4);
}

async function measureDocuments(folder: string): Promise<void> {
  const set = await readSearchSet(folder);
  const score = (question: number, paths: readonly string[]) => {
    const found = [...new Set(paths.map((path) => set.ids.get(path) ?? path))];
    const judgements = set.queries[question]?.judgements ?? new Map();
    return { "nDCG@10": ndcg(found, judgements, HITS), "recall@10": recall(found, judgements, HITS) };
  };
  const vectors = await vectorsOf(set);
  const provider = await serveVectors(vectors);
  const rows: Row[] = [];
  for (const name of chosen) {
    console.error(`${set.name}: ${name}`);
    rows.push(await measurePeer(name, name, { set, vectors, providerUrl: provider.url, score }));
  }
  printRows(`${set.name}, ${set.queries.length} questions, ${set.ids.size} documents`, rows);
  console.error(`texts that the provider had to embed: ${provider.unknown()}`);
  provider.close();
}

const CUTS: readonly Cut[] = [
  { name: "3 messages", messages: 3, chars: Number.POSITIVE_INFINITY },
  { name: "2,000 characters", messages: Number.POSITIVE_INFINITY, chars: 2000 },
];

async function measureSessions(folder: string): Promise<void> {
  const sessions = await readSessionSet(folder);
  const score = (question: number, paths: readonly string[]) => shownBy(sessions, question, paths);
  const rows: Row[] = [];
  for (const [at, cut] of CUTS.entries()) {
    const set = documentsOf(sessions, cut);
    const vectors = await vectorsOf(set);
    const provider = await serveVectors(vectors);
    for (const name of chosen) {
      const isOurs = name === "recollect";
      // Recollect cuts sessions itself, so it is measured once.
      if (isOurs && at > 0) continue;
      console.error(`sessions, ${cut.name}: ${name}`);
      const asked = { set, vectors, providerUrl: provider.url, score, ...(isOurs ? { sessions } : {}) };
      rows.push(await measurePeer(name, isOurs ? name : `${name}, ${cut.name}`, asked));
    }
    provider.close();
  }
  const sittings = [...sessions.conversations.values()].reduce((sum, one) => sum + one.size, 0);
  printRows(`${basename(folder)} by session, ${sessions.questions.length} questions, ${sittings} sittings`, rows);
}

for (const dataset of positionals) await measureDocuments(dataset);
if (flags.sessions !== undefined) await measureSessions(flags.sessions);
process.exit();
