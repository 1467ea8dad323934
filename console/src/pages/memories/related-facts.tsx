import { useQuery } from "@tanstack/react-query";
import type { Fact } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Part } from "../../ui/section.tsx";

const MOST = 6;
/** A fact below this score is not near enough to be called related. */
const LEAST_SCORE = 0.2;

/** Shows the facts that are nearest to a fact. */
export function RelatedFacts({ agent, fact, versions }: { agent: string; fact: Fact; versions: readonly Fact[] }) {
  const memory = useAgent(agent);
  const { search } = useViewAddress();
  const found = useQuery({
    queryKey: ["facts", agent, "related", fact.id],
    queryFn: () => memory.facts.search(fact.text.slice(0, 500), { maxResults: MOST + versions.length }),
    staleTime: 60_000,
  });
  const own = new Set(versions.map(({ id }) => id));
  const near = (found.data?.facts ?? []).filter(({ id, score }) => !own.has(id) && score >= LEAST_SCORE).slice(0, MOST);
  if (near.length === 0) return null;
  return (
    <Part title={texts.memories.related}>
      <ul className="flex flex-wrap gap-2">
        {near.map(({ id, text }) => (
          <li key={id} className="max-w-full">
            <Link
              to="/agents/$agent/memories"
              params={{ agent }}
              search={{ ...search, id, edit: undefined }}
              dir="auto"
              className="block truncate rounded-md bg-sunken px-2 py-1 text-sm hover:bg-hover"
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  );
}
