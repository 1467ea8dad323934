import type { UseQueryResult } from "@tanstack/react-query";
import { CircleCheck, CircleX, TriangleAlert } from "lucide-react";
import type { Finding, Findings } from "recollect/client";
import { cn } from "../../lib/cn.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";
import { Words } from "../../ui/words.tsx";

const WORST_FIRST = ["failed", "warning", "ok"] as const;

/** Shows what the service has found about itself: the problems first, then the checks that passed. */
export function Checks({ health, agent }: { health: UseQueryResult<Findings>; agent: string }) {
  if (health.isPending) return <Loading what={texts.labels.theFindings} lines={6} />;
  if (health.error && !health.data) return <ErrorBox error={health.error} onRetry={() => void health.refetch()} />;
  const findings = health.data?.findings ?? [];
  const problems = WORST_FIRST.slice(0, 2).flatMap((state) => findings.filter((one) => one.state === state));
  const fine = findings.filter(({ state }) => state === "ok");
  const { health: words } = texts.operator;
  return (
    <>
      <Verdict problems={problems} all={findings.length} agent={agent} />
      {problems.length > 0 && (
        <ul className="flex flex-col gap-3" aria-label={words.problems}>
          {problems.map((one) => (
            <Problem key={`${one.check} ${one.message}`} finding={one} />
          ))}
        </ul>
      )}
      {fine.length > 0 && (
        <Section title={words.passed} note={texts.operator.health.passedCount(fine.length)}>
          <ul className="flex flex-col divide-y divide-border">
            {fine.map(({ check, message }) => (
              <li key={`${check} ${message}`} className="flex items-start gap-3 py-2 text-sm">
                <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ok" />
                <span className="w-32 shrink-0 font-semibold [overflow-wrap:anywhere] max-md:w-24">{check}</span>
                <span className="min-w-0 text-fg-2 [overflow-wrap:anywhere]">
                  <Words text={message} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Verdict({ problems, all, agent }: { problems: readonly Finding[]; all: number; agent: string }) {
  const { health: words } = texts.operator;
  const isFine = problems.length === 0;
  const Icon = isFine ? CircleCheck : TriangleAlert;
  return (
    <div role="status" className="flex items-center gap-4 rounded-lg border border-border bg-surface p-4">
      <Icon aria-hidden="true" className={cn("size-8 shrink-0", isFine ? "text-ok" : "text-warn")} />
      <div>
        <p className="text-lg font-semibold">{isFine ? words.allPassed(all) : words.toDo(problems.length)}</p>
        <p className="text-sm text-fg-2">{words.about(agent)}</p>
      </div>
    </div>
  );
}

function Problem({ finding: { check, state, message, remedy } }: { finding: Finding }) {
  const failed = state === "failed";
  const Icon = failed ? CircleX : TriangleAlert;
  const { health: words } = texts.operator;
  return (
    <li className="flex items-start gap-3 rounded-lg border border-border bg-surface p-4">
      <Icon aria-hidden="true" className={cn("mt-0.5 size-5 shrink-0", failed ? "text-bad" : "text-warn")} />
      <div className="flex min-w-0 grow flex-col gap-1">
        <p className="flex flex-wrap items-center gap-2">
          <strong>{check}</strong>
          <Badge tone={failed ? "bad" : "warn"}>{words.states[state]}</Badge>
        </p>
        <p className="[overflow-wrap:anywhere]">
          <Words text={message} />
        </p>
        {remedy && (
          <p className="mt-1 rounded-md bg-sunken p-3 text-sm [overflow-wrap:anywhere]">
            <strong className="me-2">{words.remedy}</strong>
            <Words text={remedy} />
          </p>
        )}
      </div>
    </li>
  );
}
