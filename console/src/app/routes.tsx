import { type ComponentType, lazy } from "react";
import { mayDo } from "../lib/connection.ts";
import { navigate } from "../router/history.ts";
import { type Route, useView, useViewAddress } from "../router/router.tsx";
import { texts } from "../texts/texts.ts";
import { Refused } from "../ui/refused.tsx";
import { useConnection } from "./connection-context.ts";
import { AGENT_PLACES, WORKSPACE_PLACES, workspacePlacesOf } from "./places.ts";
import { useLead } from "./use-lead.ts";

/** Makes a page whose code is loaded when it is shown. */
function page(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() })) as ComponentType;
}

const PAGES: Record<string, ComponentType> = {
  "": page(async () => (await import("../pages/home/home.tsx")).HomePage),
  memories: page(async () => (await import("../pages/memories/memories.tsx")).MemoriesPage),
  conversations: page(async () => (await import("../pages/conversations/conversations.tsx")).ConversationsPage),
  files: page(async () => (await import("../pages/files/files.tsx")).FilesPage),
  search: page(async () => (await import("../pages/search/search.tsx")).SearchPage),
  evaluations: page(async () => (await import("../pages/evaluations/evaluations.tsx")).EvaluationsPage),
  activity: page(async () => (await import("../pages/activity/activity.tsx")).ActivityPage),
  versions: page(async () => (await import("../pages/versions/versions.tsx")).VersionsPage),
  settings: page(async () => (await import("../pages/settings/settings.tsx")).SettingsPage),
};

const PARTS: Record<string, ComponentType> = {
  overview: page(async () => (await import("../pages/workspace/overview.tsx")).OverviewPage),
  agents: page(async () => (await import("../pages/workspace/agents.tsx")).AgentsPage),
  access: page(async () => (await import("../pages/workspace/access.tsx")).AccessPage),
  health: page(async () => (await import("../pages/workspace/health.tsx")).HealthPage),
  usage: page(async () => (await import("../pages/workspace/usage.tsx")).UsagePage),
  audit: page(async () => (await import("../pages/workspace/audit.tsx")).AuditPage),
  routing: page(async () => (await import("../pages/workspace/routing.tsx")).RoutingPage),
};

/** Leads from `/` to the agent that was shown last. */
function Start() {
  useLead("/agents/$agent", localStorage.getItem("recollect.agent") ?? "main");
  return null;
}

/** Shows a page of an agent to keys that may see it. A key that may only search is led to Search. */
function AgentPage({ name, scope }: { name: string; scope: (typeof AGENT_PLACES)[number]["scope"] }) {
  const { key } = useConnection();
  const { agent } = useViewAddress();
  const isAllowed = mayDo(key, scope);
  const leads = !isAllowed && name === "" && mayDo(key, "search");
  useLead(leads ? "/agents/$agent/search" : undefined, agent);
  const Shown = PAGES[name];
  if (leads || !Shown) return null;
  return isAllowed ? <Shown /> : <Refused scope={scope} />;
}

/** Shows a page of the workspace, if the key may see it. */
function WorkspacePage() {
  const { params } = useView();
  const { key } = useConnection();
  const place = WORKSPACE_PLACES.find(({ name }) => name === params.part);
  const Shown = PARTS[params.part ?? ""];
  if (!place || !Shown) return <NoPage />;
  if (workspacePlacesOf(key).includes(place)) return <Shown />;
  return <Refused scope={mayDo(key, place.scope) ? undefined : place.scope} />;
}

/** Says that an address leads nowhere, and where to go instead. */
export function NoPage() {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-3">
      <h1 className="text-xl font-semibold">{texts.noPage}</h1>
      <button type="button" className="text-accent underline" onClick={() => navigate({ to: "/" })}>
        {texts.places.home}
      </button>
    </div>
  );
}

export const routes: readonly Route[] = [
  { pattern: "/", page: Start },
  ...AGENT_PLACES.map(({ name, to, scope }) => ({
    pattern: to,
    page: () => <AgentPage name={name} scope={scope} />,
  })),
  { pattern: "/workspace/$part", page: WorkspacePage },
];
