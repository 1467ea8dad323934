import { holds } from "../../agents/access.ts";
import { findAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import { MEMORY_TOOLS } from "./memory-tools.ts";
import { recallPrompt } from "./recall-prompt.ts";
import { defineForModel, formatTools, type ToolDefinition, type ToolFormat } from "./tool-formats.ts";

/** What an agent's model is given: nothing at all while its memory is switched off. */
export interface OfferedTools {
  tools: ToolDefinition[];
  /** The prompt section "Memory Recall"; empty without tools. */
  prompt: string;
}

const DEFINITIONS = new Map(MEMORY_TOOLS.map((tool) => [tool.name, defineForModel(tool)]));

/**
 * The tools of an agent that this caller may call, and the prompt section about them.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function offerTools(deps: Deps, caller: Caller, agentId: string): Promise<OfferedTools> {
  const { profile } = await findAgent(deps, caller, "search", agentId);
  const offered = profile.settings.enabled ? MEMORY_TOOLS.filter((tool) => holds(caller, tool.scope)) : [];
  const tools = offered.flatMap((tool) => DEFINITIONS.get(tool.name) ?? []);
  return { tools, prompt: recallPrompt(offered, profile.settings.citations) };
}

/** The same in the form of a provider's API. @throws as `offerTools` */
export async function formatOfferedTools(
  deps: Deps,
  caller: Caller,
  agentId: string,
  format: ToolFormat,
): Promise<{ format: ToolFormat; tools: object[]; prompt: string }> {
  const { tools, prompt } = await offerTools(deps, caller, agentId);
  return { format, tools: formatTools(tools, format), prompt };
}
