import { type ErrorCode, isDatabaseState } from "../../base/errors.ts";
import { unavailableFor } from "../search/unavailable.ts";
import type { MemoryAccess } from "./memory-access.ts";
import { recallPrompt } from "./offer-tools.ts";
import { defineForModel } from "./tool-formats.ts";
import { MEMORY_TOOLS } from "./tool-table.ts";

/**
 * What a tool answers when memory cannot be searched: a result that a model can read and act on, in place of an error. Undefined
 * for a tool without such a result, and for any other error.
 */
export function unavailableAnswer(tool: string, code: ErrorCode): object | undefined {
  const nothing = MEMORY_TOOLS.find(({ name }) => name === tool)?.nothing;
  const answer = unavailableFor(code);
  return nothing && answer && { ...nothing, ...answer };
}

/**
 * An agent's memory while the database cannot even say who asks: it shows the tools as they are documented and has nothing of any
 * agent. So a client that connects meanwhile has its tools afterwards.
 *
 * @param error why; undefined is returned for any other error than a state of the database
 */
export function unavailableMemory(agentId: string, error: unknown): MemoryAccess | undefined {
  if (!isDatabaseState(error)) return undefined;
  const fail = () => Promise.reject(error);
  const tools = MEMORY_TOOLS.map(defineForModel);
  return {
    agentId,
    offered: async () => ({ tools, prompt: recallPrompt(MEMORY_TOOLS, "auto") }),
    call: fail,
    files: fail,
    file: fail,
  };
}
