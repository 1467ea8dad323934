import { Link, Outlet, useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { mayDo, signOut } from "../lib/connection.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Options } from "../ui/options.tsx";
import { useConnection } from "./connection-context.ts";
import { LeadTo } from "./lead-to.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { AGENT_PAGES, OPERATE_PAGES, operatePagesOf, useAgents } from "./pages.ts";
import { Palette } from "./palette.tsx";
import { Whereabouts } from "./whereabouts.tsx";

/** Shows the frame of every page: where the user is, and the links to the other pages. */
export function Shell() {
  const { key } = useConnection();
  const params = useParams({ strict: false });
  const agent = key.agentId ?? params.agent ?? localStorage.getItem("recollect.agent") ?? "main";
  const [palette, setPalette] = useState(false);
  const { pathname } = useLocation();
  const [menu, setMenu] = useState(false);
  useEffect(() => {
    document.title = titleOf(pathname, agent);
    setMenu(false);
  }, [pathname, agent]);
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
  // A key that is bound to one agent shows that agent, whatever the address says.
  if (params.agent !== undefined && params.agent !== agent) return <LeadTo to="/agents/$agent" agent={agent} />;
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={focusContent}>
        {texts.labels.toTheContent}
      </button>
      <header>
        <span className="brand">{texts.labels.recollect}</span>
        <AgentChoice agent={agent} />
        <button type="button" className="menu" aria-expanded={menu} onClick={() => setMenu(!menu)}>
          {texts.labels.menu}
        </button>
        <button type="button" onClick={() => setPalette(true)}>
          {texts.palette.open} <kbd>{texts.labels.ctrlK}</kbd>
        </button>
        <SignOut />
        <Whereabouts />
      </header>
      <nav aria-label={texts.labels.pages} className={menu ? "open" : ""}>
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
        <LeaveGuard>
          <Outlet />
        </LeaveGuard>
      </main>
      {palette && <Palette agent={agent} onClose={() => setPalette(false)} />}
    </div>
  );
}

/** Returns the title of the browser tab, which also names a bookmark. */
function titleOf(pathname: string, agent: string): string {
  const part = OPERATE_PAGES.find((page) => pathname === `/operate/${page.part}`);
  if (part) return sentences.title(part.label);
  const page = AGENT_PAGES.findLast(({ to }) => pathname.startsWith(to.replace("$agent", encodeURIComponent(agent))));
  return sentences.title(page ? sentences.of(page.label, agent) : undefined);
}

/**
 * Moves the focus to the content. The skip control is a button that calls this function. A link to
 * `#content` would replace the part of the address after `#`, which names the view.
 */
function focusContent(): void {
  document.getElementById("content")?.focus();
}

function AgentChoice({ agent }: { agent: string }) {
  const { key } = useConnection();
  const navigate = useNavigate();
  const bound = key.agentId;
  const agents = useAgents();
  const ids = new Set([...(agents.data?.agents.map(({ id }) => id) ?? []), bound ?? agent]);
  return (
    <label className="agent-choice">
      <span>{texts.labels.agent}</span>
      <select
        value={bound ?? agent}
        onChange={(event) => void navigate({ to: "/agents/$agent", params: { agent: event.target.value } })}
      >
        <Options of={[...ids].sort()} />
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
