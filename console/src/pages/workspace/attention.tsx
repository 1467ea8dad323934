import { useQuery } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import type { Findings, Job } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { has } from "../../lib/features.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Dot } from "../../ui/badge.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Section } from "../../ui/section.tsx";
import { Words } from "../../ui/words.tsx";

const MOST = 6;

/** Lists what is wrong: findings of the service about itself, and jobs that failed. */
export function Attention() {
  const { client } = useConnection();
  const checks = has("doctor");
  const health = useQuery({
    queryKey: ["doctor"],
    queryFn: () => client.request<Findings>("GET", "/v1/doctor"),
    enabled: checks,
  });
  const jobs = useQuery({
    queryKey: ["jobs", "failed"],
    queryFn: () => client.request<{ jobs: Job[] }>("GET", "/v1/jobs", { query: { limit: 200 } }),
  });
  const problems = health.data?.findings.filter(({ state }) => state !== "ok") ?? [];
  const failed = jobs.data?.jobs.filter(({ state }) => state === "failed" || state === "retry") ?? [];
  const { overview } = texts.operator;
  if ((checks && !health.data) || !jobs.data) return null;
  if (problems.length + failed.length === 0)
    return (
      <p className="flex items-center gap-2 text-sm text-fg-2">
        <Dot of="ok" />
        {[health.data && texts.home.allPassed(health.data.findings.length), overview.noFailedJob]
          .filter(Boolean)
          .join(" · ")}
      </p>
    );
  return (
    <Section title={overview.attention}>
      <ul className="flex flex-col gap-2 text-sm">
        {problems.map(({ check, state, message, remedy }) => (
          <li key={`${check} ${message}`} className="flex items-start gap-2">
            <CircleAlert
              aria-hidden="true"
              className={`mt-0.5 size-4 shrink-0 ${state === "failed" ? "text-bad" : "text-warn"}`}
            />
            <Link to="/workspace/health" className="min-w-0 hover:underline">
              <Words text={message} /> <span className="text-fg-2">{remedy && <Words text={remedy} />}</span>
            </Link>
          </li>
        ))}
        {failed.slice(0, MOST).map(({ id, kind, agentId, error, createdAt }) => (
          <li key={id} className="flex items-start gap-2">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
            <Link
              to="/workspace/health"
              search={{ view: "jobs" }}
              className="min-w-0 [overflow-wrap:anywhere] hover:underline"
            >
              {overview.jobFailed(texts.operator.jobs.kinds[kind] ?? kind, agentId ?? "")}{" "}
              <span className="text-fg-2">{error?.message}</span>
            </Link>
            <span className="ms-auto text-fg-2">
              <RelativeTime at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
