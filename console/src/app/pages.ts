import { useQuery } from "@tanstack/react-query";
import type { KeyInUse } from "recollect/client";
import { mayDo } from "../lib/connection.ts";
import { texts } from "../texts/texts.ts";
import { useConnection } from "./connection-context.ts";

export const AGENT_PAGES = [
  { to: "/agents/$agent", label: texts.pages.overview, scope: "agent:read" },
  { to: "/agents/$agent/search", label: texts.pages.search, scope: "search" },
  { to: "/agents/$agent/files", label: texts.pages.files, scope: "agent:read" },
  { to: "/agents/$agent/sessions", label: texts.pages.sessions, scope: "agent:read" },
  { to: "/agents/$agent/facts", label: texts.pages.facts, scope: "agent:read" },
  { to: "/agents/$agent/history", label: texts.pages.history, scope: "agent:read" },
  { to: "/agents/$agent/branches", label: texts.pages.branches, scope: "agent:read" },
  { to: "/agents/$agent/sharing", label: texts.pages.sharing, scope: "agent:read" },
  { to: "/agents/$agent/live", label: texts.pages.live, scope: "agent:read" },
  { to: "/agents/$agent/settings", label: texts.pages.settings, scope: "agent:read" },
] as const;

export const OPERATE_PAGES = [
  { part: "agents", label: texts.pages.agents, scope: "agent:read" },
  { part: "keys", label: texts.pages.keys, scope: "tenant" },
  { part: "jobs", label: texts.pages.jobs, scope: "tenant" },
  { part: "routing", label: texts.pages.routing, scope: "agent:read" },
  { part: "usage", label: texts.pages.usage, scope: "tenant" },
  { part: "audit", label: texts.pages.audit, scope: "tenant" },
  { part: "tenants", label: texts.pages.tenants, scope: "admin" },
  { part: "doctor", label: texts.pages.doctor, scope: "search" },
] as const;

/**
 * Returns the operator's pages that a key may see. A key that is bound to one agent sees only the
 * doctor.
 */
export function operatePagesOf(key: KeyInUse) {
  return OPERATE_PAGES.filter(({ part, scope }) => mayDo(key, scope) && (key.agentId === null || part === "doctor"));
}

/** Reads the first 200 agents of the tenant, if the key may see agents other than its own. */
export function useAgents() {
  const { client, key } = useConnection();
  return useQuery({
    queryKey: ["agents", "first"],
    queryFn: () => client.agents.list({ limit: 200 }),
    enabled: key.agentId === null && mayDo(key, "agent:read"),
  });
}
