import { useServiceState } from "../lib/service-state.ts";
import { Link } from "../router/link.tsx";
import { texts } from "../texts/texts.ts";
import { Dot } from "../ui/badge.tsx";
import { useHealth } from "./use-health.ts";

/** Says in a word whether the service is healthy, and leads to the page of its checks. */
export function HealthLink({ agent }: { agent: string }) {
  const away = useServiceState() === "away";
  const health = useHealth(agent);
  const problems = health.data?.findings.filter(({ state }) => state !== "ok") ?? [];
  const failed = away || problems.some(({ state }) => state === "failed");
  if (!health.data && !away) return null;
  const words = away
    ? texts.header.away
    : problems.length === 0
      ? texts.header.healthy
      : texts.header.problems(problems.length);
  return (
    <Link
      to="/workspace/health"
      aria-label={texts.header.health(words)}
      data-tip={texts.header.health(words)}
      className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-fg-2 hover:bg-hover max-md:h-10"
    >
      <Dot of={failed ? "bad" : problems.length > 0 ? "warn" : "ok"} className="rounded-full" />
      <span className="whitespace-nowrap max-lg:hidden">{words}</span>
    </Link>
  );
}
