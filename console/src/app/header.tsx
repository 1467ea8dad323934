import { ChevronDown, Search } from "lucide-react";
import { navigate } from "../router/history.ts";
import { Link } from "../router/link.tsx";
import { texts } from "../texts/texts.ts";
import { Combobox } from "../ui/combobox.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { useConnection } from "./connection-context.ts";
import { HealthLink } from "./health-link.tsx";
import { KeyMenu } from "./key-menu.tsx";
import { Logo } from "./logo.tsx";
import { TenantMenu } from "./tenant-menu.tsx";
import { useAgents } from "./use-agents.ts";

interface HeaderProps {
  agent: string;
  onFind: () => void;
  onShortcuts: () => void;
}

/** Says at all times in which tenant and agent the user is, with which key, and how the service is. */
export function Header({ agent, onFind, onShortcuts }: HeaderProps) {
  const { key } = useConnection();
  const isAway = key.tenantId !== key.ownTenant.id;
  return (
    <header
      className={`flex h-12 items-center gap-3 border-b border-border bg-surface px-4 max-md:gap-1 max-md:px-2 ${
        isAway ? "border-t-2 border-t-warn" : ""
      }`}
    >
      <section aria-label={texts.labels.whereYouAre} className="flex min-w-0 items-center gap-1 text-sm md:flex-1">
        <Link to="/agents/$agent" params={{ agent }} aria-label={texts.labels.recollect} className="me-1 rounded">
          <Logo />
        </Link>
        <TenantMenu away={isAway} />
        <span aria-hidden="true" className="text-fg-3">
          /
        </span>
        <AgentChoice agent={agent} />
      </section>
      <button
        type="button"
        onClick={onFind}
        className="flex h-8 w-full max-w-[26rem] min-w-0 items-center gap-2 rounded-md border border-border bg-sunken px-2.5 text-sm text-fg-2 hover:border-border-strong max-md:ms-auto max-md:w-10 max-md:justify-center max-md:border-0 max-md:bg-transparent"
      >
        <Search aria-hidden="true" className="size-4 shrink-0" />
        <span className="min-w-0 grow truncate text-start max-md:sr-only">{texts.palette.prompt}</span>
        <Kbd>{texts.labels.ctrlK}</Kbd>
      </button>
      <div className="flex items-center justify-end gap-2 max-md:ms-auto max-md:gap-0 md:flex-1">
        <HealthLink agent={agent} />
        <KeyMenu onShortcuts={onShortcuts} />
      </div>
    </header>
  );
}

/** The name of the agent, which opens the list of all agents. */
function AgentChoice({ agent }: { agent: string }) {
  const { key } = useConnection();
  const agents = useAgents();
  if (key.agentId !== null) return <strong className="truncate px-1">{agent}</strong>;
  const ids = new Set([...(agents.data?.agents.map(({ id }) => id) ?? []), agent]);
  return (
    <Combobox
      label={texts.labels.agent}
      value={agent}
      free
      options={[...ids].sort().map((id) => ({ value: id, label: id }))}
      onChoose={(id) => navigate({ to: "/agents/$agent", params: { agent: id } })}
      trigger={(props) => (
        <button
          {...props}
          type="button"
          aria-label={texts.header.agent(agent)}
          className="flex h-8 min-w-0 items-center gap-1 rounded-md px-1.5 font-semibold hover:bg-hover"
        >
          <span className="truncate">{agent}</span>
          <ChevronDown aria-hidden="true" className="size-3.5 shrink-0 text-fg-3" />
        </button>
      )}
    />
  );
}
