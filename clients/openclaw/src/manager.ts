import type { RequesterOptions } from "../../../src/cli/sessions/openclaw-requester.ts";
import type { AgentStatus, SearchHit } from "../../../src/client/client.ts";
import { hostHit } from "./hits.ts";
import type { HostHit, HostRead, SearchManager } from "./host.ts";
import type { Memory } from "./memory.ts";
import { search, type ToolTurn } from "./memory-tools.ts";
import { objectOf } from "./origin.ts";
import type { Settings } from "./settings.ts";

export interface ManagerOptions {
  agentId: string;
  memory: Memory;
  settings: Settings;
  requesters: RequesterOptions;
  /** The surroundings of a search for a session; undefined: OpenClaw itself asks. */
  turnOf(sessionKey: string | undefined): ToolTurn;
  /** Sends all files and conversations of the agent. */
  syncAll(progress?: (done: number, total: number, label: string) => void): Promise<void>;
}

/** Makes OpenClaw's view of one agent's memory. */
export function createManager(options: ManagerOptions): SearchManager {
  const { agentId, memory, settings } = options;
  let status: AgentStatus | undefined;
  const refresh = async (): Promise<void> => {
    const asked = await memory.ask(agentId, (client) => client.status(), { empty: undefined });
    if ("answer" in asked) status = asked.answer;
  };
  return {
    search: (query, asked = {}) => hostSearch(query, asked, options),
    readFile: (where) => hostRead(where, options),
    status: () => ({
      backend: "builtin",
      provider: status?.provider ?? "recollect",
      ...(status === undefined ? {} : countsOf(status)),
      sources: ["memory", "sessions"],
      ...(memory.outage() === undefined ? {} : { lastSyncError: memory.outage() }),
      custom: { server: settings.url, agent: settings.agents[agentId] ?? agentId },
    }),
    sync: async ({ progress } = {}) => {
      await options.syncAll((completed, total, label) => progress?.({ completed, total, label }));
      await refresh();
    },
    probeEmbeddingAvailability: async () => {
      await refresh();
      const problem = memory.outage() ?? status?.vector.problem;
      return problem === undefined ? { ok: true } : { ok: false, error: problem };
    },
    probeVectorAvailability: async () => {
      await refresh();
      return status?.vector.ready ?? false;
    },
  };
}

function countsOf({ model, files, sessions, chunks, dirty, dimensions, vector, keyword }: AgentStatus) {
  return {
    model,
    files,
    chunks,
    dirty,
    sourceCounts: [
      { source: "memory", files, chunks },
      { source: "sessions", files: sessions, chunks: 0 },
    ],
    fts: { enabled: true, available: keyword.ready },
    vector: {
      enabled: true,
      available: vector.ready,
      semanticAvailable: vector.ready,
      storeAvailable: true,
      ...(dimensions === null ? {} : { dims: dimensions }),
    },
  };
}

/** @throws Error when the memory is away: OpenClaw reports it as its search's failure */
async function hostSearch(
  query: string,
  { maxResults, minScore, sessionKey, sources }: Parameters<SearchManager["search"]>[1] & object,
  { turnOf, requesters }: ManagerOptions,
): Promise<HostHit[]> {
  const only = sources?.length === 1 ? sources[0] : undefined;
  const input = {
    query,
    ...(maxResults === undefined ? {} : { maxResults }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(only === undefined ? {} : { corpus: only }),
  };
  const answer = objectOf(await search(turnOf(sessionKey), input));
  if (answer.unavailable === true) throw new Error(String(answer.warning));
  return Array.isArray(answer.results) ? (answer.results as SearchHit[]).map((hit) => hostHit(hit, requesters)) : [];
}

/** @throws Error when the memory is away */
async function hostRead(
  { relPath: path, from, lines }: Parameters<SearchManager["readFile"]>[0],
  { agentId, memory }: ManagerOptions,
): Promise<HostRead> {
  const range = { ...(from === undefined ? {} : { from }), ...(lines === undefined ? {} : { lines }) };
  const asked = await memory.ask(agentId, (client) => client.get(path, range), { empty: undefined });
  if (!("answer" in asked)) throw new Error("away" in asked ? asked.away : asked.refused);
  if (asked.answer === undefined || "status" in asked.answer) return { status: "not_found", text: "", path };
  const { text, truncated, nextFrom } = asked.answer;
  return {
    status: "ok",
    text,
    path,
    from: asked.answer.from,
    lines: asked.answer.lines,
    ...(truncated === undefined ? {} : { truncated }),
    ...(nextFrom === undefined ? {} : { nextFrom }),
  };
}
