import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
  useParams,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import { mayDo } from "../lib/connection.ts";
import { FactsPage } from "../pages/facts.tsx";
import { FilesPage } from "../pages/files.tsx";
import { BranchesPage } from "../pages/links/branches.tsx";
import { SharingPage } from "../pages/links/sharing.tsx";
import { LivePage } from "../pages/live.tsx";
import { OperatePage } from "../pages/operate/operate.tsx";
import { OverviewPage } from "../pages/overview.tsx";
import { HistoryPage } from "../pages/past/history.tsx";
import { SearchPage } from "../pages/search/search.tsx";
import { SessionsPage } from "../pages/sessions.tsx";
import { SettingsPage } from "../pages/settings.tsx";
import { texts } from "../texts/texts.ts";
import { ErrorBox } from "../ui/error-box.tsx";
import { Refused } from "../ui/refused.tsx";
import { useConnection } from "./connection-context.ts";
import { LeadTo } from "./lead-to.tsx";
import { Shell } from "./shell.tsx";
import type { Search } from "./view-address.ts";

/**
 * Returns an address's values as texts, so that `2026` stays as it was typed. Drops empty values.
 */
const textsOf = (search: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === null || value === "" ? [] : [[name, String(value)]],
    ),
  );

/**
 * Wraps a page so that only keys with the scope see it.
 *
 * @param orSearch whether a key that may only search is led to the search page instead
 */
function allowed(scope: "search" | "agent:read", Page: ComponentType, orSearch = false) {
  return function Allowed() {
    const { key } = useConnection();
    const { agent: id = "main" } = useParams({ strict: false });
    if (mayDo(key, scope)) return <Page />;
    if (orSearch && mayDo(key, "search")) return <LeadTo to="/agents/$agent/search" agent={id} />;
    return <Refused title={`${texts.operate.refused} ${scope}.`} />;
  };
}

const rootRoute = createRootRoute({
  component: Shell,
  errorComponent: ({ error }) => <ErrorBox error={error} />,
  notFoundComponent: () => <p className="empty">{texts.noPage}</p>,
  validateSearch: textsOf,
});

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/agents/$agent", params: { agent: localStorage.getItem("recollect.agent") ?? "main" } });
  },
});

const agent = createRoute({ getParentRoute: () => rootRoute, path: "/agents/$agent" });
const overview = createRoute({
  getParentRoute: () => agent,
  path: "/",
  component: allowed("agent:read", OverviewPage, true),
});
const search = createRoute({ getParentRoute: () => agent, path: "/search", component: allowed("search", SearchPage) });
const files = createRoute({ getParentRoute: () => agent, path: "/files", component: allowed("agent:read", FilesPage) });
const sessions = createRoute({
  getParentRoute: () => agent,
  path: "/sessions",
  component: allowed("agent:read", SessionsPage),
});
const facts = createRoute({ getParentRoute: () => agent, path: "/facts", component: allowed("agent:read", FactsPage) });
const history = createRoute({
  getParentRoute: () => agent,
  path: "/history",
  component: allowed("agent:read", HistoryPage),
});
const branches = createRoute({
  getParentRoute: () => agent,
  path: "/branches",
  component: allowed("agent:read", BranchesPage),
});
const sharing = createRoute({
  getParentRoute: () => agent,
  path: "/sharing",
  component: allowed("agent:read", SharingPage),
});
const live = createRoute({ getParentRoute: () => agent, path: "/live", component: allowed("agent:read", LivePage) });
const settings = createRoute({
  getParentRoute: () => agent,
  path: "/settings",
  component: allowed("agent:read", SettingsPage),
});
const operate = createRoute({ getParentRoute: () => rootRoute, path: "/operate/$part", component: OperatePage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    agent.addChildren([overview, search, files, sessions, facts, history, branches, sharing, live, settings]),
    operate,
  ]),
  history: createHashHistory(),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values) => {
    const text = new URLSearchParams(textsOf(values)).toString();
    return text === "" ? "" : `?${text}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
