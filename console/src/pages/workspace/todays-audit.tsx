import { useQuery } from "@tanstack/react-query";
import type { AuditPage } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useNames } from "../../app/use-names.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Section } from "../../ui/section.tsx";

const MOST = 8;

/** Lists the last administrative actions, with the names of those who did them. */
export function TodaysAudit() {
  const { client } = useConnection();
  const nameOf = useNames();
  const audit = useQuery({
    queryKey: ["audit", "newest"],
    queryFn: () => client.request<AuditPage>("GET", "/v1/audit", { query: { limit: MOST } }),
  });
  const entries = audit.data?.entries ?? [];
  const { overview, audit: log } = texts.operator;
  return (
    <Section
      title={overview.audit}
      actions={
        <Link to="/workspace/audit" className="text-sm text-accent hover:underline">
          {overview.allAudit}
        </Link>
      }
    >
      {audit.isPending && <Loading what={texts.labels.theList} />}
      {audit.error && <ErrorBox error={audit.error} />}
      {audit.data && entries.length === 0 && <p className="text-sm text-fg-2">{texts.operate.noAudit}</p>}
      <ul className="flex flex-col gap-2 text-sm">
        {entries.map(({ id, at, actor, action, target }) => (
          <li key={id} className="flex items-baseline gap-2">
            <strong className="shrink-0">{nameOf(actor) ?? actor}</strong>
            <span className="min-w-0 grow truncate text-fg-2">
              {log.did[action] ?? action} {nameOf(target) ?? target}
            </span>
            <span className="shrink-0 text-fg-2">
              <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
