import { useQuery } from "@tanstack/react-query";
import type { AgentStorage, StorageUsage } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { bytes, count } from "../../lib/format.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";

const PARTS = {
  files: "fill-file",
  conversations: "fill-chat",
  facts: "fill-fact",
  history: "fill-shared",
  index: "fill-fg-3",
} as const;
type PartName = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as PartName[];
const MOST_AGENTS = 10;

/** Shows how much disk space the largest agents take, and for what. */
export function StoragePart({ agent }: { agent: string | undefined }) {
  const { client } = useConnection();
  const storage = useQuery({
    queryKey: ["storage", agent ?? ""],
    queryFn: () =>
      client.request<StorageUsage>("GET", "/v1/usage/storage", { query: { agentId: agent, limit: MOST_AGENTS } }),
    staleTime: 60_000,
  });
  const { usage: words } = texts.operator;
  const agents = storage.data?.agents ?? [];
  const most = Math.max(1, ...agents.map((one) => one.bytes));
  return (
    <Section title={words.disk} note={words.diskNote}>
      {storage.isPending && <Loading what={words.disk} />}
      {storage.error && <ErrorBox error={storage.error} onRetry={() => void storage.refetch()} />}
      {storage.data && agents.length === 0 && <Empty title={words.noDisk} />}
      {agents.length > 0 && (
        <>
          <p aria-hidden="true" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-fg-2">
            {NAMES.map((name) => (
              <span key={name} className="flex items-center gap-1.5">
                <svg aria-hidden="true" width="8" height="8">
                  <rect width="8" height="8" rx="2" className={PARTS[name]} />
                </svg>
                {words.parts[name]}
              </span>
            ))}
          </p>
          <ul className="flex flex-col gap-3">
            {agents.map((one) => (
              <OfAgent key={one.agentId} storage={one} most={most} />
            ))}
          </ul>
          {(storage.data?.otherAgents ?? 0) > 0 && (
            <p className="text-sm text-fg-2">{words.otherAgents(count(storage.data?.otherAgents ?? 0))}</p>
          )}
        </>
      )}
    </Section>
  );
}

function OfAgent({ storage: { agentId, bytes: total, parts }, most }: { storage: AgentStorage; most: number }) {
  let at = 0;
  const { usage: words } = texts.operator;
  const said = NAMES.map((name) => `${words.parts[name]} ${bytes(parts[name])}`).join(" · ");
  return (
    <li className="flex flex-col gap-1 text-sm">
      <span className="flex justify-between gap-3">
        <Link to="/agents/$agent" params={{ agent: agentId }} className="truncate text-accent hover:underline">
          {agentId}
        </Link>
        <span className="tabular">{bytes(total)}</span>
      </span>
      <svg role="img" aria-label={said} viewBox="0 0 100 8" preserveAspectRatio="none" className="h-2 w-full">
        <title>{said}</title>
        <rect width="100" height="8" rx="1" className="fill-hover" />
        {NAMES.map((name) => {
          const width = (100 * parts[name]) / most;
          const x = at;
          at += width;
          return <rect key={name} x={x} width={width} height="8" className={PARTS[name]} />;
        })}
      </svg>
    </li>
  );
}
