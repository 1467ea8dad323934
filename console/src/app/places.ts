import {
  Activity,
  Bot,
  Brain,
  Building2,
  ChartColumn,
  Coins,
  FileText,
  GitBranch,
  HeartPulse,
  House,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  ScrollText,
  Search,
  Settings2,
  Split,
} from "lucide-react";
import type { KeyInUse } from "recollect/client";
import { mayDo } from "../lib/connection.ts";
import { has } from "../lib/features.ts";
import { texts } from "../texts/texts.ts";

export interface Place {
  /** The last part of the address. */
  name: string;
  /** The address, with `$agent` for the agent. */
  to: string;
  label: string;
  icon: LucideIcon;
  scope: "search" | "agent:read" | "tenant" | "admin";
  /** The key that leads here after `g`. */
  key: string;
}

const { places } = texts;
const ofAgent = (name: string) => (name === "" ? "/agents/$agent" : `/agents/$agent/${name}`);
const agentPlace = (
  name: string,
  label: string,
  icon: LucideIcon,
  key: string,
  scope: Place["scope"] = "agent:read",
): Place => ({ name, to: ofAgent(name), label, icon, key, scope });

/** Whether the service has any of the views of the place Versions. */
const hasVersions = has("snapshots") || has("branches") || has("sharing");

/** The places of an agent, in groups. */
export const AGENT_GROUPS: readonly { label: string; places: readonly Place[] }[] = [
  {
    label: places.memory,
    places: [
      agentPlace("", places.home, House, "h"),
      agentPlace("memories", places.memories, Brain, "m"),
      agentPlace("conversations", places.conversations, MessageSquare, "c"),
      agentPlace("files", places.files, FileText, "f"),
    ],
  },
  {
    label: places.understand,
    places: [
      agentPlace("search", places.search, Search, "s", "search"),
      agentPlace("evaluations", places.evaluations, ChartColumn, "e", "search"),
    ],
  },
  {
    label: places.change,
    places: [
      agentPlace("activity", places.activity, Activity, "a"),
      ...(hasVersions ? [agentPlace("versions", places.versions, GitBranch, "v")] : []),
    ],
  },
];

export const SETTINGS_PLACE = agentPlace("settings", places.settings, Settings2, ",");
export const AGENT_PLACES: readonly Place[] = [...AGENT_GROUPS.flatMap((group) => group.places), SETTINGS_PLACE];

const workspacePlace = (name: string, label: string, icon: LucideIcon, scope: Place["scope"]): Place => ({
  name,
  to: `/workspace/${name}`,
  label,
  icon,
  key: "",
  scope,
});

/** The places of the operator. */
export const WORKSPACE_PLACES: readonly Place[] = [
  workspacePlace("overview", places.workspaceOverview, LayoutDashboard, "tenant"),
  workspacePlace("agents", places.agents, Bot, "agent:read"),
  workspacePlace("access", places.access, KeyRound, "tenant"),
  workspacePlace("health", places.health, HeartPulse, "search"),
  workspacePlace("usage", places.usage, Coins, "tenant"),
  workspacePlace("audit", places.audit, ScrollText, "tenant"),
  ...(has("routing") ? [workspacePlace("routing", places.routing, Split, "agent:read")] : []),
];

export const WORKSPACE_ICON = Building2;

/** Returns the places of an agent that a key may see. */
export function agentPlacesOf(key: KeyInUse): Place[] {
  return AGENT_PLACES.filter(({ scope }) => mayDo(key, scope));
}

/**
 * Returns the places of the workspace that a key may see. A key that is bound to one agent sees only
 * the health of the service.
 */
export function workspacePlacesOf(key: KeyInUse): Place[] {
  const isBound = key.agentId !== null;
  const mayHealth = has("doctor") || (mayDo(key, "tenant") && !isBound);
  return WORKSPACE_PLACES.filter(({ name, scope }) => mayDo(key, scope) && (name === "health" ? mayHealth : !isBound));
}
