import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { mayDo } from "../lib/connection.ts";
import { useView } from "../router/router.tsx";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Loading } from "../ui/loading.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { Tooltip } from "../ui/tooltip.tsx";
import { useShortcuts } from "../ui/use-shortcuts.ts";
import { AwayBanner } from "./away-banner.tsx";
import { BottomBar } from "./bottom-bar.tsx";
import { useConnection } from "./connection-context.ts";
import { Header } from "./header.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import { AGENT_PLACES, WORKSPACE_PLACES } from "./places.ts";
import { NoPage } from "./routes.tsx";
import { Sidebar } from "./sidebar.tsx";
import { TenantBanner } from "./tenant-banner.tsx";
import { useGoKeys } from "./use-go-keys.ts";
import { useLead } from "./use-lead.ts";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const Shortcuts = lazy(async () => ({ default: (await import("./shortcuts.tsx")).Shortcuts }));

/** Shows the frame of every page: where the user is, and the ways to the other pages. */
export function Shell() {
  const { key } = useConnection();
  const view = useView();
  const named = view.params.agent;
  const agent = key.agentId ?? named ?? localStorage.getItem("recollect.agent") ?? "main";
  const [open, setOpen] = useState<"palette" | "shortcuts">();
  useEffect(() => {
    localStorage.setItem("recollect.agent", agent);
  }, [agent]);
  useTitle(view.path, agent);
  useFindKey(() => setOpen("palette"));
  useGoKeys(agent);
  useShortcuts({ "?": () => setOpen("shortcuts"), "/": () => focusFilter() || setOpen("palette") });
  // A key that is bound to one agent shows that agent, whatever the address says.
  const strays = named !== undefined && named !== agent;
  useLead(strays ? "/agents/$agent" : undefined, agent);
  const Page = view.page ?? NoPage;
  return (
    <div className="grid h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto] overflow-hidden">
      <div>
        <button
          type="button"
          onClick={() => document.getElementById("content")?.focus()}
          className="sr-only focus:not-sr-only focus:absolute focus:z-40 focus:m-2 focus:rounded-md focus:bg-surface focus:px-3 focus:py-2"
        >
          {texts.labels.toTheContent}
        </button>
        <Header agent={agent} onFind={() => setOpen("palette")} onShortcuts={() => setOpen("shortcuts")} />
        <TenantBanner />
        <AwayBanner />
      </div>
      <div className="flex min-h-0">
        <Sidebar agent={agent} />
        <main id="content" tabIndex={-1} className="h-full min-w-0 grow overflow-hidden focus:outline-none">
          <LeaveGuard>
            <PageBoundary key={view.pattern}>
              <Suspense fallback={<PageLoading />}>{!strays && <Page key={view.params.agent} />}</Suspense>
            </PageBoundary>
          </LeaveGuard>
        </main>
      </div>
      <BottomBar agent={agent} />
      {open && (
        <Suspense fallback={null}>
          {open === "palette" ? (
            <Palette agent={agent} onClose={() => setOpen(undefined)} />
          ) : (
            <Shortcuts
              places={AGENT_PLACES.filter(({ scope }) => mayDo(key, scope))}
              onClose={() => setOpen(undefined)}
            />
          )}
        </Suspense>
      )}
      <Toasts />
      <Tooltip />
    </div>
  );
}

function PageLoading() {
  return (
    <div className="p-5">
      <Loading what={texts.labels.thePage} lines={6} />
    </div>
  );
}

/** Gives the browser's tab a title, which names a bookmark too. */
function useTitle(path: string, agent: string): void {
  useEffect(() => {
    const workspace = WORKSPACE_PLACES.find(({ to }) => to === path);
    const ofAgent = AGENT_PLACES.findLast(({ to }) => path.startsWith(to.replace("$agent", encodeURIComponent(agent))));
    document.title = sentences.title(workspace?.label ?? (ofAgent && sentences.of(ofAgent.label, agent)));
  }, [path, agent]);
}

/** Opens the finder with Ctrl K or ⌘ K, also while a field has the focus. */
function useFindKey(onFind: () => void): void {
  const find = useRef(onFind);
  find.current = onFind;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      find.current();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Moves the focus to the field that filters the page. @returns whether there is one */
function focusFilter(): boolean {
  const field = document.querySelector<HTMLInputElement>("[data-filter]");
  field?.focus();
  field?.select();
  return field !== null;
}
