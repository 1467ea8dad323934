import { AppError } from "../../base/errors.ts";
import { holds } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import { type FileSummary, getFile, listAgentFiles } from "../files/read-files.ts";
import { callTool } from "./define-tool.ts";
import { type OfferedTools, offerTools } from "./offer-tools.ts";
import { MEMORY_TOOLS } from "./tool-table.ts";

/**
 * One agent's memory for one caller, in this process or over the HTTP API. All methods throw
 * `AppError`s.
 */
export interface MemoryAccess {
  readonly agentId: string;
  /** Returns the tools that the caller may call now, and the prompt section about them. */
  offered(): Promise<OfferedTools>;
  /**
   * Calls a tool.
   *
   * @throws AppError `not_found` when there is no such tool
   */
  call(tool: string, input: unknown): Promise<object>;
  files(cursor: string | undefined): Promise<{ files: FileSummary[]; nextCursor?: string }>;
  file(path: string): Promise<FileSummary & { content: string }>;
  /**
   * Yields the changes of files and facts from now on, a page at a time, until the signal is aborted;
   * absent if the caller may not read them.
   */
  readonly changes?: ((signal: AbortSignal) => AsyncIterable<readonly MemoryChange[]>) | undefined;
}

/** A change of a file or a fact, such as `file.created`. */
export interface MemoryChange {
  readonly kind: string;
  readonly path: string;
}

const FILES_A_PAGE = 200;

/** Returns whether a caller may follow the changes of a memory that it may search. */
export function mayFollow(caller: Caller): boolean {
  return holds(caller, "agent:read");
}

/**
 * Opens the memory of an agent in this process, for one request. The agent is looked up at once, so
 * that a caller without access is refused before anything else happens.
 *
 * @param user the user for whom the tools write unless the call names or implies a scope; undefined: everybody
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function openMemory(deps: Deps, caller: Caller, agentId: string, user?: string): Promise<MemoryAccess> {
  const offered = await offerTools(deps, caller, agentId);
  return {
    agentId,
    offered: async () => offered,
    call: async (name, input) => {
      const tool = MEMORY_TOOLS.find((one) => one.name === name);
      if (!tool) throw new AppError("not_found", "There is no such tool; list the tools to see their names.");
      return callTool(tool, deps, caller, agentId, input, user === undefined ? {} : { scope: { user } });
    },
    files: (cursor) => listAgentFiles(deps, caller, agentId, { cursor, limit: FILES_A_PAGE }),
    file: (path) => getFile(deps, caller, agentId, path),
  };
}
