import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { KeyInUse } from "recollect/client";
import { mayDo, signOut } from "../lib/connection.ts";
import { texts } from "../lib/texts.ts";
import { useConnection } from "./connection-context.ts";
import { Palette } from "./palette.tsx";

export const AGENT_PAGES = [
  { to: "/agents/$agent", label: "Overview", scope: "agent:read" },
  { to: "/agents/$agent/search", label: "Search", scope: "search" },
  { to: "/agents/$agent/files", label: "Files", scope: "agent:read" },
  { to: "/agents/$agent/sessions", label: "Conversations", scope: "agent:read" },
  { to: "/agents/$agent/facts", label: "Facts", scope: "agent:read" },
  { to: "/agents/$agent/live", label: "Live", scope: "agent:read" },
  { to: "/agents/$agent/settings", label: "Settings", scope: "agent:read" },
] as const;

export const OPERATE_PAGES = [
  { part: "agents", label: "Agents", scope: "agent:read" },
  { part: "keys", label: "Keys", scope: "tenant" },
  { part: "jobs", label: "Jobs", scope: "tenant" },
  { part: "routing", label: "Routing", scope: "agent:read" },
  { part: "usage", label: "Usage", scope: "tenant" },
  { part: "audit", label: "Audit", scope: "tenant" },
  { part: "tenants", label: "Tenants", scope: "admin" },
  { part: "doctor", label: "Doctor", scope: "search" },
] as const;

/** The pages of operation that a key may see: of those only the doctor knows a key that is bound to one agent. */
export function operatePagesOf(key: KeyInUse) {
  return OPERATE_PAGES.filter(({ part, scope }) => mayDo(key, scope) && (key.agentId === null || part === "doctor"));
}

/** The frame of every page: where one is, and where one can go. */
export function Shell() {
  const { key } = useConnection();
  const params = useParams({ strict: false });
  const agent = key.agentId ?? params.agent ?? localStorage.getItem("recollect.agent") ?? "main";
  const [palette, setPalette] = useState(false);
  useEffect(() => {
    localStorage.setItem("recollect.agent", agent);
  }, [agent]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setPalette((open) => !open);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  // A key of one agent sees that one, whatever the address says.
  if (params.agent !== undefined && params.agent !== agent)
    return <Navigate to="/agents/$agent" params={{ agent }} replace />;
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={focusContent}>
        {texts.labels.toTheContent}
      </button>
      <header>
        <span className="brand">{texts.labels.recollect}</span>
        <AgentChoice agent={agent} />
        <button type="button" onClick={() => setPalette(true)}>
          {texts.palette.open} <kbd>{texts.labels.ctrlK}</kbd>
        </button>
        <SignOut />
      </header>
      <nav aria-label={texts.labels.agent}>
        <ul>
          {AGENT_PAGES.filter(({ scope }) => mayDo(key, scope)).map(({ to, label }) => (
            <li key={to}>
              <Link to={to} params={{ agent }} activeOptions={{ exact: to === "/agents/$agent", includeSearch: false }}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
        <h2>{texts.labels.operate}</h2>
        <ul>
          {operatePagesOf(key).map(({ part, label }) => (
            <li key={part}>
              <Link to="/operate/$part" params={{ part }} activeOptions={{ includeSearch: false }}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
      {palette && <Palette agent={agent} onClose={() => setPalette(false)} />}
    </div>
  );
}

/** A button, not a link to `#content`: the address after `#` is the view's. */
function focusContent(): void {
  document.getElementById("content")?.focus();
}

function AgentChoice({ agent }: { agent: string }) {
  const { client, key } = useConnection();
  const navigate = useNavigate();
  const bound = key.agentId;
  const agents = useQuery({
    queryKey: ["agents", "first"],
    queryFn: () => client.agents.list({ limit: 200 }),
    enabled: bound === null && mayDo(key, "agent:read"),
  });
  const ids = new Set([...(agents.data?.agents.map(({ id }) => id) ?? []), bound ?? agent]);
  return (
    <label className="agent-choice">
      <span>{texts.labels.agent}</span>
      <select
        value={bound ?? agent}
        onChange={(event) => void navigate({ to: "/agents/$agent", params: { agent: event.target.value } })}
      >
        {[...ids].sort().map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
    </label>
  );
}

function SignOut() {
  const { signedIn } = useConnection();
  if (!signedIn) return null;
  const leave = () => {
    signOut();
    location.reload();
  };
  return (
    <button type="button" onClick={leave}>
      {texts.labels.signOut}
    </button>
  );
}
