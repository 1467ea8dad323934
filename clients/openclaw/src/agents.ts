import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { HostConfig } from "./host.ts";
import { objectOf } from "./origin.ts";

/** Returns the ids of OpenClaw's agents, the default agent first. */
export function agentIds(config: HostConfig | undefined): string[] {
  const entries = Object.entries(objectOf(config?.agents?.entries));
  const list = Array.isArray(config?.agents?.list) ? config.agents.list.map((one) => objectOf(one)) : [];
  const agents = [
    ...entries.map(([id, agent]) => ({ id, isDefault: objectOf(agent).default === true })),
    ...list.flatMap(({ id, default: isDefault }) =>
      typeof id === "string" ? [{ id, isDefault: isDefault === true }] : [],
    ),
  ];
  const ids = agents.sort((a, b) => Number(b.isDefault) - Number(a.isDefault)).map(({ id }) => id);
  return ids.length === 0 ? ["main"] : [...new Set(ids)];
}

/**
 * Returns the folder of an agent's workspace: OpenClaw's own answer, or else the folder that its
 * configuration names. Undefined if neither is known.
 *
 * @param runtime OpenClaw's helpers for plugins, `api.runtime`
 */
export function workspaceOf(agentId: string, config: HostConfig | undefined, runtime: unknown): string | undefined {
  const { resolveAgentWorkspaceDir } = objectOf(objectOf(runtime).agent);
  if (typeof resolveAgentWorkspaceDir === "function") {
    try {
      const folder: unknown = resolveAgentWorkspaceDir(config ?? {}, agentId);
      if (typeof folder === "string" && isAbsolute(folder)) return folder;
    } catch {
      // A version with other arguments. The configuration says it too.
    }
  }
  const own = objectOf(objectOf(config?.agents?.entries)[agentId]).workspace;
  const common = objectOf(config?.agents?.defaults).workspace;
  const folder = own ?? common;
  if (typeof folder !== "string") return undefined;
  const path = folder.replace(/^~(?=\/|$)/, homedir());
  return isAbsolute(path) ? path : join(homedir(), path);
}
