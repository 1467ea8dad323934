import { countOf } from "../../../src/base/text/count-of.ts";
import type { SearchHit } from "../../../src/client/client.ts";
import type { MemoryActions, Shown } from "./commands.ts";
import type { Memory } from "./memory.ts";
import { search, type ToolTurn } from "./memory-tools.ts";
import { objectOf } from "./origin.ts";
import type { Settings } from "./settings.ts";
import type { SyncedAgent } from "./sync-agent.ts";

export interface ActionOptions {
  memory: Memory;
  settings: Settings;
  /** The ids of OpenClaw's agents, the default agent first. */
  agents: readonly string[];
  /** A turn with the owner's rights. */
  turnOf(agentId: string): ToolTurn;
  sync(agentId: string): Promise<SyncedAgent>;
}

/** Returns the actions of the commands. */
export function memoryActions(options: ActionOptions): MemoryActions {
  const { agents } = options;
  const chosen = (agentId: string | undefined) => (agentId === undefined ? agents : [agentId]);
  return {
    status: async (agentId) => joined(await Promise.all(chosen(agentId).map((id) => statusOf(id, options)))),
    search: (agentId, query, more) => searchShown(agentId ?? agents[0] ?? "main", query, more, options),
    index: async (agentId) => {
      const shown: Shown[] = [];
      for (const id of chosen(agentId)) shown.push(syncShown(id, await options.sync(id)));
      return joined(shown);
    },
  };
}

async function statusOf(agentId: string, { memory, settings }: ActionOptions): Promise<Shown> {
  const agent = settings.agents[agentId] ?? agentId;
  const asked = await memory.ask(agentId, (client) => client.status(), { empty: undefined });
  if (!("answer" in asked)) {
    const error = "away" in asked ? asked.away : asked.refused;
    return { lines: [`Memory of ${agentId}: unavailable. ${error}`], json: { agentId, error }, failed: true };
  }
  const status = asked.answer;
  const head = `Memory of ${agentId}: Recollect at ${settings.url}, agent ${agent}`;
  if (status === undefined)
    return { lines: [head, "  empty"], json: { agentId, status: { backend: "builtin", files: 0, chunks: 0 } } };
  const { files, sessions, messages, facts, chunks, provider, model, pendingEmbeddings, dirty } = status;
  return {
    lines: [
      head,
      `  ${countOf(files, "file")} · ${countOf(sessions, "conversation")} with ${countOf(messages, "message")} · ${countOf(facts, "fact")} · ${countOf(chunks, "chunk")}`,
      `  provider ${provider} · model ${model} · ${countOf(pendingEmbeddings, "chunk")} to embed${dirty ? " · not all is indexed" : ""}`,
    ],
    json: { agentId, status },
  };
}

async function searchShown(
  agentId: string,
  query: string,
  more: { maxResults?: number; minScore?: number },
  { turnOf }: ActionOptions,
): Promise<Shown> {
  if (query.trim() === "") return { lines: ["Say what to look for."], json: { results: [] }, failed: true };
  const answer = objectOf(await search(turnOf(agentId), { ...more, query }));
  if (answer.unavailable === true) {
    return { lines: [String(answer.warning), String(answer.action)], json: answer, failed: true };
  }
  const results = (Array.isArray(answer.results) ? answer.results : []) as SearchHit[];
  const lines = results.flatMap(({ path, startLine, endLine, score, snippet }) => [
    `${score.toFixed(3)} ${path}:${startLine}-${endLine}`,
    ...snippet.split("\n").map((line) => `  ${line}`),
    "",
  ]);
  return { lines: results.length === 0 ? [String(answer.note ?? "No matches.")] : lines, json: answer };
}

function syncShown(agentId: string, { files, conversations, problems }: SyncedAgent): Shown {
  return {
    lines: [
      `Memory of ${agentId}: sent ${files.sent} of ${countOf(files.files, "file")}, removed ${files.removed} · ` +
        `${countOf(conversations.messages, "new message")} of ${countOf(conversations.seen, "conversation")}`,
      ...problems.map((problem) => `  ${problem}`),
    ],
    json: { agentId, files, conversations, problems },
    failed: problems.length > 0,
  };
}

function joined(shown: readonly Shown[]): Shown {
  return {
    lines: shown.flatMap(({ lines }) => lines),
    json: shown.map(({ json }) => json),
    failed: shown.some(({ failed }) => failed),
  };
}
