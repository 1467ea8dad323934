// Loads with which one tenant tries to slow another down. Each is the worst known request of its
// kind.
import { randomUUID } from "node:crypto";

/** Sends one request of a tenant. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

export interface Answer {
  status: number;
  body: unknown;
}

/** The sizes of the loads. */
export interface Sizes {
  longNames: number;
  commonChunks: number;
  texts: number;
}

/** A load: the data that the tenant stores first, and the request that its clients repeat. */
export interface Load {
  /** Loads of one group belong together: a later one uses what an earlier one has stored. */
  group: string;
  name: string;
  /** Stores data before the measurement. Default: nothing. */
  prepare?(send: Send): Promise<void>;
  /** The state of the tenant's jobs during the measurement. Default: `finished`. */
  jobs?: "finished" | "not begun" | "running";
  /** Sends one request of one client. If absent, the load is the jobs for the stored data. */
  request?(send: Send, client: number, round: number): Promise<Answer>;
}

const COMMON_WORDS = Array.from({ length: 64 }, (_, i) => `common${i.toString(36).padStart(2, "x")}`);
const FILES_PER_WRITE = 50;
const CHUNKS_PER_FILE = 25;
/** The number of agents whose texts are embedded. */
const EMBED_AGENTS = 5;

/** Returns the loads in the order in which they must be sent. */
export function worstLoads(sizes: Sizes): Load[] {
  return [...wildcards(sizes), ...commonWords(sizes), appends("one session"), appends("24 sessions"), embeds(sizes)];
}

/**
 * Twenty patterns over files whose names almost match: with 400 wildcards each, and with the most
 * wildcards that are allowed.
 */
function wildcards({ longNames }: Sizes): Load[] {
  const patterns = (wildcards: number) => Array.from({ length: 20 }, (_, i) => `${"*a".repeat(wildcards - 1)}*b${i}`);
  const names = Array.from({ length: longNames }, (_, i) => `${"a".repeat(240)}/${"a".repeat(240)}${i}.md`);
  const search =
    (paths: readonly string[]): NonNullable<Load["request"]> =>
    (send, client, round) =>
      send("POST", "/v1/agents/wild/tools/memory_search", { query: `note ${client} ${round}`, paths });
  const prepare = (send: Send) => putAll(send, "wild", names, (path) => `A note about ${path.slice(481)}.`);
  return [
    { group: "wildcards", name: "400 wildcards in each of 20 paths", prepare, request: search(patterns(400)) },
    { group: "wildcards", name: "8 wildcards in each of 20 paths", request: search(patterns(8)) },
  ];
}

/**
 * Questions of 64 words that all occur in every chunk: before the chunks are packed into segments,
 * and after.
 */
function commonWords({ commonChunks }: Sizes): Load[] {
  const names = Array.from({ length: Math.ceil(commonChunks / CHUNKS_PER_FILE) }, (_, i) => `c${i}.md`);
  const section = (path: string, i: number) => `## ${path} part ${i}\n\n${COMMON_WORDS.join(" ")}. Mark ${path}${i}.\n`;
  const content = (path: string) => Array.from({ length: CHUNKS_PER_FILE }, (_, i) => section(path, i)).join("\n");
  const request: Load["request"] = (send, client, round) => {
    // Uses another order each time, so that no answer comes from the cache.
    const at = (client * 7 + round) % 64;
    const query = [...COMMON_WORDS.slice(at), ...COMMON_WORDS.slice(0, at)].join(" ");
    return send("POST", "/v1/agents/common/tools/memory_search", { query: `${query} ${client}x${round}` });
  };
  const prepare: Load["prepare"] = async (send) => {
    await send("POST", "/v1/agents", { id: "common", settings: { chunking: { tokens: 64, overlap: 0 } } });
    await putAll(send, "common", names, content);
  };
  return [
    { group: "words", name: "64 common words, not packed", prepare, jobs: "not begun", request },
    { group: "words", name: "64 common words, packed", request },
  ];
}

/** Appends of one message each. */
function appends(to: "one session" | "24 sessions"): Load {
  const session = (client: number) => (to === "one session" ? "all" : `of${client}`);
  return {
    group: "appends",
    name: `appends to ${to}`,
    request: (send, client, round) =>
      send("POST", `/v1/agents/chat/sessions/${encodeURIComponent(`agent:chat:bench:${session(client)}`)}/messages`, {
        messages: [{ role: "user", text: `I like the number ${round} of client ${client}, ${randomUUID()}.` }],
      }),
  };
}

/** Many texts of a few agents, for a slow provider. */
function embeds({ texts }: Sizes): Load {
  const names = Array.from({ length: Math.ceil(texts / EMBED_AGENTS) }, (_, i) => `t${i}.md`);
  return {
    group: "embed",
    name: `${texts} texts to embed`,
    jobs: "running",
    prepare: async (send) => {
      for (let agent = 0; agent < EMBED_AGENTS; agent++)
        await putAll(send, `texts${agent}`, names, (path) => `Text ${path} of agent ${agent}, ${randomUUID()}.`);
    },
  };
}

async function putAll(send: Send, agent: string, names: readonly string[], content: (path: string) => string) {
  for (let from = 0; from < names.length; from += FILES_PER_WRITE) {
    const put = names.slice(from, from + FILES_PER_WRITE).map((path) => ({ path, content: content(path) }));
    const { status, body } = await send("POST", `/v1/agents/${agent}/files`, { put });
    if (status !== 200) throw new Error(`A write of the load answered ${status}: ${JSON.stringify(body)}`);
  }
}
