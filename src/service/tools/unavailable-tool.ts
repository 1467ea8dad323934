import { type ErrorCode, isDatabaseState } from "../../base/errors.ts";
import { unavailableFor } from "../search/unavailable.ts";
import type { MemoryAccess } from "./memory-access.ts";
import { type OfferedTools, recallPrompt } from "./offer-tools.ts";
import { defineForModel } from "./tool-formats.ts";
import { MEMORY_TOOLS } from "./tool-table.ts";

/**
 * Returns a tool's answer while memory cannot be searched: a result, not an error, that a model can
 * read and act on. Returns undefined for a tool without such a result, and for any other error.
 */
export function unavailableAnswer(tool: string, code: ErrorCode): object | undefined {
  const nothing = MEMORY_TOOLS.find(({ name }) => name === tool)?.nothing;
  const answer = unavailableFor(code);
  return nothing && answer && { ...nothing, ...answer };
}

/**
 * Returns a stand-in for an agent's memory while the database cannot even identify the caller. It
 * shows the documented tools and no agent's data. A client that connects during the outage
 * therefore has its tools afterwards.
 *
 * @param error the reason; for any error that is not a state of the database, undefined is returned
 */
export function unavailableMemory(agentId: string, error: unknown): MemoryAccess | undefined {
  if (!isDatabaseState(error)) return undefined;
  const fail = () => Promise.reject(error);
  return {
    agentId,
    offered: async () => documentedTools(),
    call: fail,
    files: fail,
    file: fail,
  };
}

/** Returns the documented tools, for a memory whose settings cannot be read. */
export function documentedTools(): OfferedTools {
  return { tools: MEMORY_TOOLS.map(defineForModel), prompt: recallPrompt(MEMORY_TOOLS, "auto") };
}
