import { ArrowLeft, Building2, PanelLeftClose, PanelLeftOpen } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "../lib/cn.ts";
import { mayDo } from "../lib/connection.ts";
import { count } from "../lib/format.ts";
import { usePreference } from "../lib/preference.ts";
import { usePeople } from "../pages/memories/use-people.ts";
import { Link } from "../router/link.tsx";
import { useView } from "../router/router.tsx";
import { texts } from "../texts/texts.ts";
import { useConnection } from "./connection-context.ts";
import { AGENT_GROUPS, type Place, SETTINGS_PLACE, workspacePlacesOf } from "./places.ts";
import { useStatus } from "./use-status.ts";

/** The places of an agent or of the workspace. Without their names it is a column of icons. */
export function Sidebar({ agent }: { agent: string }) {
  const { path } = useView();
  const [folded, setFolded] = usePreference("sidebar");
  const isFolded = folded !== undefined;
  const Fold = isFolded ? PanelLeftOpen : PanelLeftClose;
  return (
    <nav
      aria-label={texts.labels.pages}
      className={cn(
        "flex shrink-0 flex-col gap-1 overflow-x-hidden overflow-y-auto border-e border-border bg-sunken px-2 py-3 text-sm max-md:hidden",
        isFolded ? "w-14" : "w-56",
      )}
    >
      {path.startsWith("/workspace") ? (
        <WorkspaceLinks agent={agent} folded={isFolded} />
      ) : (
        <AgentLinks agent={agent} folded={isFolded} />
      )}
      <button
        type="button"
        onClick={() => setFolded(isFolded ? undefined : "folded")}
        aria-label={isFolded ? texts.ui.unfold : texts.ui.fold}
        data-tip={isFolded ? texts.ui.unfold : texts.ui.fold}
        className="mt-2 grid size-8 place-items-center self-start rounded-md text-fg-3 hover:bg-hover hover:text-fg"
      >
        <Fold aria-hidden="true" className="size-4" />
      </button>
    </nav>
  );
}

function AgentLinks({ agent, folded }: { agent: string; folded: boolean }) {
  const { key } = useConnection();
  const status = useStatus(agent);
  const { whole } = usePeople(agent);
  const counts: Record<string, number | undefined> = {
    memories: status.data && whole,
    conversations: status.data?.sessions,
    files: status.data?.files,
  };
  const workspace = workspacePlacesOf(key)[0];
  return (
    <>
      {AGENT_GROUPS.map(({ label, places }) => (
        <Group key={label} label={label} folded={folded}>
          {places
            .filter(({ scope }) => mayDo(key, scope))
            .map((place) => (
              <PlaceLink key={place.name} place={place} agent={agent} folded={folded} count={counts[place.name]} />
            ))}
        </Group>
      ))}
      <ul className="mt-auto flex flex-col gap-0.5 pt-4">
        {mayDo(key, SETTINGS_PLACE.scope) && <PlaceLink place={SETTINGS_PLACE} agent={agent} folded={folded} />}
        {workspace && (
          <PlaceLink
            place={{ ...workspace, label: texts.places.workspace, icon: Building2 }}
            agent={agent}
            folded={folded}
          />
        )}
      </ul>
    </>
  );
}

function WorkspaceLinks({ agent, folded }: { agent: string; folded: boolean }) {
  const { key } = useConnection();
  const back: Place = {
    name: "back",
    to: "/agents/$agent",
    label: texts.header.backToAgent(agent),
    icon: ArrowLeft,
    scope: "search",
    key: "",
  };
  return (
    <>
      <ul>
        <PlaceLink place={back} agent={agent} folded={folded} />
      </ul>
      <Group label={texts.places.workspace} folded={folded}>
        {workspacePlacesOf(key).map((place) => (
          <PlaceLink key={place.name} place={place} agent={agent} folded={folded} />
        ))}
      </Group>
      <span className="grow" />
    </>
  );
}

function Group({ label, folded, children }: { label: string; folded: boolean; children: ReactNode }) {
  return (
    <div className="mb-3">
      <h2 className={cn("mb-1 px-2 text-xs font-semibold text-fg-2", folded && "sr-only")}>{label}</h2>
      <ul className="flex flex-col gap-0.5">{children}</ul>
    </div>
  );
}

interface PlaceLinkProps {
  place: Place;
  agent: string;
  folded: boolean;
  count?: number | undefined;
}

function PlaceLink({ place: { to, label, icon: Icon, name }, agent, folded, count: number }: PlaceLinkProps) {
  const { path } = useView();
  const here = to.replace("$agent", encodeURIComponent(agent));
  const isHere = name !== "back" && (path === here || (name !== "" && path.startsWith(`${here}/`)));
  return (
    <li>
      <Link
        to={to}
        params={{ agent }}
        aria-current={isHere ? "page" : undefined}
        {...(folded ? { "aria-label": label, "data-tip": label } : {})}
        className={cn(
          "flex h-8 items-center gap-2.5 rounded-md border px-2",
          isHere
            ? "border-border bg-surface font-semibold"
            : "border-transparent text-fg-2 hover:bg-hover hover:text-fg",
          folded && "justify-center",
        )}
      >
        <Icon aria-hidden="true" className="size-4 shrink-0" />
        {!folded && <span className="min-w-0 grow truncate">{label}</span>}
        {!folded && number !== undefined && (
          <span aria-hidden="true" className="tabular text-xs font-normal text-fg-3">
            {count(number)}
          </span>
        )}
      </Link>
    </li>
  );
}
