import type { Requester, RequesterOptions } from "../../../src/cli/sessions/openclaw-requester.ts";
import { hostHitsFor } from "./authorize.ts";
import type { MemoryCapability, SearchManager } from "./host.ts";
import { createManager } from "./manager.ts";
import type { Memory } from "./memory.ts";
import type { ToolTurn } from "./memory-tools.ts";
import { originOfFile } from "./origin.ts";
import { memoryPrompt } from "./prompt.ts";
import type { Settings } from "./settings.ts";

export interface CapabilityOptions {
  memory: Memory;
  settings: Settings;
  requesters: RequesterOptions;
  readsFiles(requester: Requester): boolean;
  ownerTurn(agentId: string): ToolTurn;
  sessionTurn(agentId: string, sessionKey: string): ToolTurn;
  syncAll(
    agentId: string,
    progress?: (done: number, total: number, label: string) => void,
  ): Promise<{ problems: string[] }>;
}

/** Returns what OpenClaw puts into its memory slot. */
export function memoryCapability(options: CapabilityOptions): MemoryCapability {
  const { memory, settings, requesters, ownerTurn, sessionTurn, syncAll } = options;
  const managers = new Map<string, SearchManager>();
  const managerOf = (agentId: string): SearchManager => {
    const manager =
      managers.get(agentId) ??
      createManager({
        agentId,
        memory,
        settings,
        requesters,
        turnOf: (sessionKey) => (sessionKey === undefined ? ownerTurn(agentId) : sessionTurn(agentId, sessionKey)),
        syncAll: async (progress) => {
          const { problems } = await syncAll(agentId, progress);
          if (problems.length > 0) throw new Error(problems.join(" "));
        },
      });
    managers.set(agentId, manager);
    return manager;
  };
  return {
    promptBuilder: ({ availableTools, citationsMode }) => memoryPrompt(availableTools, citationsMode),
    deterministicRecallToolName: "memory_search",
    runtime: {
      getMemorySearchManager: async ({ agentId }) => ({ manager: managerOf(agentId) }),
      resolveMemoryBackendConfig: () => ({ backend: "builtin" }),
      authorizeSearchHits: async ({ requesterSessionKey, hits }) => hostHitsFor(requesterSessionKey, hits, options),
      classifyWorkspaceMemoryPaths: async ({ relativePaths }) =>
        relativePaths.map((relativePath) => ({ relativePath, originClass: originOfFile(relativePath) })),
    },
  };
}
