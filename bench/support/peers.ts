import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { SearchSet } from "../../test/support/search-sets.ts";
import { type Deployment, deploy } from "./deployment.ts";
import { pathOf, type SessionSet } from "./session-sets.ts";
import type { KnownVectors } from "./vector-server.ts";

/** The input that a peer is opened with. An open peer has loaded the whole set. */
export interface PeerInput {
  set: SearchSet;
  /** The conversations that the documents are cut from, for a peer that stores messages. */
  sessions?: SessionSet | undefined;
  vectors: KnownVectors;
  /** The URL of an OpenAI-compatible provider that knows the vectors. */
  providerUrl: string;
  /** An empty folder for the peer's files. */
  folder: string;
  /** The folder in which the peers are installed. */
  peers: string;
}

export interface Peer {
  /** Returns the paths of the hits in the store of a scope, best first. */
  search(scope: string, question: string, hits: number): Promise<string[]>;
  close(): Promise<unknown>;
}

const DIMENSIONS = 384;
const CANDIDATES = 100;
const RRF_K = 60;

/** A package from the folder of peers. Its types are not known here. */
// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed where this is checked
type Foreign = any;

async function load(peers: string, name: string): Promise<Foreign> {
  const require = createRequire(join(peers, "package.json"));
  try {
    return await import(pathToFileURL(require.resolve(name)).href);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "MODULE_NOT_FOUND") throw new Error(`not installed; run npm install ${name} in ${peers}`);
    throw error;
  }
}

interface Found {
  results: { path: string; session?: { key: string; messages: { from: number; to: number } } }[];
}

/**
 * Opens the service as deployed, through HTTP. The measured time includes asking the provider for
 * the question's vector. Conversations are appended as sessions, one per sitting, and a hit names
 * the messages that it shows.
 */
export async function openRecollect({ set, sessions, providerUrl }: PeerInput): Promise<Peer> {
  const service = await deploy(DIMENSIONS, { env: { RECOLLECT_BASE_URL: providerUrl } });
  const run = randomBytes(4).toString("hex");
  const idOf = new Map([...set.agents].map(([scope, { id }]) => [scope, `${id}-${run}`.slice(-60)]));
  if (sessions) await appendSessions(service, sessions, idOf);
  else await writeFiles(service, set, idOf);
  for (const id of idOf.values()) await service.settled(id);
  return {
    search: async (scope, query, maxResults) => {
      const path = `/v1/agents/${idOf.get(scope)}/tools/memory_search`;
      const body = { query, maxResults, minScore: 0, ...(sessions ? { corpus: "sessions" } : {}) };
      const { results } = await service.call<Found>("POST", path, body);
      return results.map((hit) => {
        if (!hit.session) return hit.path;
        return pathOf({ sitting: hit.session.key.split(":").at(-1) ?? "", ...hit.session.messages });
      });
    },
    close: async () => {
      for (const id of idOf.values()) await service.call("DELETE", `/v1/agents/${id}`);
      service.worker.kill();
      service.api.kill();
    },
  };
}

type AgentIds = ReadonlyMap<string, string>;

async function writeFiles(service: Deployment, set: SearchSet, ids: AgentIds): Promise<void> {
  for (const [scope, { files }] of set.agents)
    for (let from = 0; from < files.length; from += 50)
      await service.call("POST", `/v1/agents/${ids.get(scope)}/files`, { put: files.slice(from, from + 50) });
}

async function appendSessions(service: Deployment, sessions: SessionSet, ids: AgentIds): Promise<void> {
  for (const [scope, sittings] of sessions.conversations)
    for (const [sitting, messages] of sittings) {
      const path = `/v1/agents/${ids.get(scope)}/sessions/chat:${sitting}/messages`;
      await service.call("POST", path, { messages, end: true });
    }
}

/**
 * Opens sqlite-vec and FTS5 (porter, any of the words, bm25), one database per scope, fused by
 * reciprocal ranks.
 */
export async function openSqlite({ set, vectors, folder, peers }: PeerInput): Promise<Peer> {
  const sqliteVec = await load(peers, "sqlite-vec");
  const stores = new Map<string, DatabaseSync>();
  for (const [scope, { id, files }] of set.agents) {
    const db = new DatabaseSync(join(folder, `${id}.db`), { allowExtension: true });
    sqliteVec.load(db);
    db.exec(`CREATE VIRTUAL TABLE v USING vec0(embedding float[${DIMENSIONS}] distance_metric=cosine);
      CREATE VIRTUAL TABLE t USING fts5(path UNINDEXED, content, tokenize='porter unicode61'); BEGIN`);
    const insert = [
      db.prepare("INSERT INTO v (rowid, embedding) VALUES (?, ?)"),
      db.prepare("INSERT INTO t (rowid, path, content) VALUES (?, ?, ?)"),
    ] as const;
    for (const [i, { path, content }] of files.entries()) {
      insert[0].run(BigInt(i + 1), toBytes(vectors.get(content)));
      insert[1].run(i + 1, path, content);
    }
    db.exec("COMMIT");
    stores.set(scope, db);
  }
  const rowids = (rows: unknown[]) => (rows as { rowid: number }[]).map(({ rowid }) => rowid);
  return {
    search: async (scope, question, hits) => {
      const db = stores.get(scope) as DatabaseSync;
      const nearest = db.prepare("SELECT rowid FROM v WHERE embedding MATCH ? AND k = ? ORDER BY distance");
      const words = (question.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`).join(" OR ");
      const matching = db.prepare("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?");
      const lists = [
        rowids(nearest.all(toBytes(vectors.get(question)), CANDIDATES)),
        rowids(matching.all(words, CANDIDATES)),
      ];
      const path = db.prepare("SELECT path FROM t WHERE rowid = ?");
      return fuse(lists, hits).map((rowid) => (path.get(rowid) as { path: string }).path);
    },
    close: async () => [...stores.values()].map((db) => db.close()),
  };
}

function toBytes(vector: Float32Array | undefined): Uint8Array {
  const copy = Float32Array.from(vector ?? []);
  return new Uint8Array(copy.buffer);
}

function fuse(lists: readonly number[][], hits: number): number[] {
  const scores = new Map<number, number>();
  for (const list of lists)
    for (const [rank, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_K + rank + 1));
  return [...scores]
    .sort((a, b) => b[1] - a[1])
    .slice(0, hits)
    .map(([id]) => id);
}

/**
 * Opens LanceDB with its own hybrid query: full-text index and vectors, fused by its reciprocal
 * rank reranker.
 */
export async function openLance({ set, vectors, folder, peers }: PeerInput): Promise<Peer> {
  const lance = await load(peers, "@lancedb/lancedb");
  const db = await lance.connect(folder);
  const tables = new Map<string, Foreign>();
  for (const [scope, { id, files }] of set.agents) {
    const rows = files.map(({ path, content }) => ({ path, content, vector: [...(vectors.get(content) ?? [])] }));
    const table = await db.createTable(id, rows);
    await table.createIndex("content", { config: lance.Index.fts() });
    tables.set(scope, table);
  }
  const reranker = await lance.rerankers.RRFReranker.create(RRF_K);
  return {
    search: async (scope, question, hits) => {
      const query = tables
        .get(scope)
        .query()
        .nearestTo([...(vectors.get(question) ?? [])])
        .distanceType("cosine");
      const found = await query
        .fullTextSearch(question, { columns: ["content"] })
        .rerank(reranker)
        .select(["path"])
        .limit(hits)
        .toArray();
      return found.map((row: { path: string }) => row.path);
    },
    close: async () => db.close(),
  };
}

/**
 * Opens mem0's open-source memory without a language model: its pgvector store, on the same server,
 * keeps texts unchanged.
 */
export async function openMem0({ set, providerUrl, peers }: PeerInput): Promise<Peer> {
  process.env.MEM0_TELEMETRY = "false";
  const { Memory } = await load(peers, "mem0ai/oss");
  const openai = { apiKey: "none", model: "known", baseURL: providerUrl };
  const memory = new Memory({
    embedder: { provider: "openai", config: { ...openai, embeddingDims: DIMENSIONS } },
    vectorStore: {
      provider: "pgvector",
      config: {
        connectionString: process.env.DATABASE_URL,
        collectionName: "peer_mem0",
        embeddingModelDims: DIMENSIONS,
        hnsw: true,
      },
    },
    llm: { provider: "openai", config: openai },
    disableHistory: true,
  });
  for (const [scope, { files }] of set.agents)
    for (const { path, content } of files)
      await memory.add(content, { userId: `u${scope}`, infer: false, metadata: { path } });
  return {
    search: async (scope, question, topK) => {
      const { results } = await memory.search(question, { filters: { user_id: `u${scope}` }, topK, threshold: 0 });
      return results.map((hit: { metadata: { path: string } }) => hit.metadata.path);
    },
    close: async () => memory.reset(),
  };
}

/**
 * Opens OpenClaw's file memory: one workspace per scope, indexed and asked through the runtime of
 * its memory plugin.
 */
export async function openOpenClaw({ set, providerUrl, folder, peers }: PeerInput): Promise<Peer> {
  Object.assign(process.env, { HOME: folder, OPENCLAW_STATE_DIR: join(folder, "state"), OPENCLAW_HOME: folder });
  const require = createRequire(join(peers, "package.json"));
  await load(peers, "openclaw");
  const root = dirname(dirname(require.resolve("openclaw")));
  const runtime: Foreign = await import(pathToFileURL(join(root, "dist/extensions/memory-core/runtime-api.js")).href);
  const managers = new Map<string, Foreign>();
  const remote = { baseUrl: providerUrl, apiKey: "none" };
  const memorySearch = { provider: "openai", model: "known", remote, query: { minScore: 0 }, sync: { watch: false } };
  for (const [scope, { id: agentId, files }] of set.agents) {
    const workspace = join(folder, agentId);
    for (const { path, content } of files) {
      await mkdir(dirname(join(workspace, "memory", path)), { recursive: true });
      await writeFile(join(workspace, "memory", path), content);
    }
    const agents = { defaults: { memorySearch }, list: [{ id: agentId, default: true, workspace }] };
    const { manager, error } = await runtime.getMemorySearchManager({ cfg: { agents }, agentId });
    if (!manager) throw new Error(error ?? "there is no memory manager");
    await manager.sync({ reason: "bench", force: true });
    managers.set(scope, manager);
  }
  return {
    search: async (scope, question, maxResults) => {
      const found: { path: string }[] = await managers.get(scope).search(question, { maxResults, minScore: 0 });
      return found.map(({ path }) => path.replace(/^memory\//, ""));
    },
    close: async () => Promise.all([...managers.values()].map((manager) => manager.close?.())),
  };
}
