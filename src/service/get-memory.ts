import { checkMemoryPath } from "../agents/memory-path.ts";
import { withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { readFile } from "../db/agent/files.ts";
import { toLines } from "../ingest/normalise.ts";
import type { Caller, Deps } from "./deps.ts";
import { findKnownAgent } from "./find-agent.ts";

const DEFAULT_LINES = 120;
const MAX_CHARS = 12_000;

export interface GetInput {
  path: string;
  from?: number | undefined;
  lines?: number | undefined;
}

export type GetOutput =
  | { text: string; path: string; from: number; lines: number; truncated?: true; nextFrom?: number }
  | { status: "not_found"; text: ""; path: string };

/**
 * The tool `memory_get`: some lines of one file, at most 120 lines unless `lines` says otherwise and always at most 12,000
 * characters; `nextFrom` says where to go on. A line longer than that is cut, since it cannot be paged through.
 *
 * @throws AppError `invalid_path`, `invalid_agent_id`, `agent_not_found`
 */
export async function getMemory(deps: Deps, caller: Caller, agentId: string, input: GetInput): Promise<GetOutput> {
  const path = checkMemoryPath(input.path);
  const agent = await findKnownAgent(deps, caller, "search", agentId);
  const file = agent && (await withAgentTransaction(deps.db, agent, (tx) => readFile(tx, agent.schema, path)));
  if (!file) return { status: "not_found", text: "", path };
  return cutLines(path, toLines(file.content), input.from ?? 1, input.lines ?? DEFAULT_LINES);
}

function cutLines(path: string, lines: readonly string[], from: number, count: number): GetOutput {
  const taken: string[] = [];
  let chars = 0;
  for (const line of lines.slice(from - 1, from - 1 + count)) {
    const cost = line.length + (taken.length > 0 ? 1 : 0);
    if (chars + cost > MAX_CHARS) {
      if (taken.length === 0) taken.push(line.slice(0, MAX_CHARS).toWellFormed());
      break;
    }
    taken.push(line);
    chars += cost;
  }
  const text = taken.join("\n");
  const next = from + taken.length;
  const cutLine = taken.length === 1 && (lines[from - 1]?.length ?? 0) > MAX_CHARS;
  return {
    text,
    path,
    from,
    lines: taken.length,
    ...(next <= lines.length || cutLine ? { truncated: true } : {}),
    ...(next <= lines.length ? { nextFrom: next } : {}),
  };
}
