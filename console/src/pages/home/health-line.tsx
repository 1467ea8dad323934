import { useHealth } from "../../app/use-health.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Dot } from "../../ui/badge.tsx";

/** Says whether the service has found a fault, and names the fault. */
export function HealthLine({ agent }: { agent: string }) {
  const health = useHealth(agent);
  if (!health.data) return null;
  const { findings } = health.data;
  const problems = findings.filter(({ state }) => state !== "ok");
  const [first] = problems;
  return (
    <p className="flex items-center gap-2 text-sm text-fg-2">
      <Dot of={problems.length === 0 ? "ok" : problems.some(({ state }) => state === "failed") ? "bad" : "warn"} />
      {first ? (
        <Link to="/workspace/health" className="underline underline-offset-2 hover:text-fg">
          {problems.length === 1 ? first.message : texts.home.problems(problems.length, first.message)}
        </Link>
      ) : (
        texts.home.allPassed(findings.length)
      )}
    </p>
  );
}
