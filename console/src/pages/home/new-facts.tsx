import { Check, Pencil, Trash2 } from "lucide-react";
import type { Fact } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { useReviewed } from "../../lib/reviewed.ts";
import { badgeOf } from "../../lib/topic.ts";
import { navigate } from "../../router/history.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Section } from "../../ui/section.tsx";
import { useFacts } from "../memories/use-facts.ts";
import { useForget } from "../memories/use-forget.ts";

const MOST = 8;
const NEWEST = {};

/** Shows the facts that were learnt last, and lets the user keep, correct or forget each. */
export function NewFacts({ agent }: { agent: string }) {
  const list = useFacts(agent, NEWEST);
  const { reviewed, keep } = useReviewed(agent);
  const shown = list.facts.filter(({ id }) => !reviewed.has(id)).slice(0, MOST);
  return (
    <Section
      title={texts.home.newFacts}
      actions={
        <Link to="/agents/$agent/memories" params={{ agent }} className="text-sm text-accent hover:underline">
          {texts.home.allMemories}
        </Link>
      }
    >
      {list.isPending && <Loading what={texts.labels.theFacts} />}
      {list.error && <ErrorBox error={list.error} onRetry={list.retry} />}
      {!list.isPending && !list.error && shown.length === 0 && (
        <p className="text-sm text-fg-2">{texts.home.noNewFact}</p>
      )}
      <ul className="-mx-4 flex flex-col">
        {shown.map((fact) => (
          <NewFact key={fact.id} agent={agent} fact={fact} onKeep={() => keep([fact.id])} />
        ))}
      </ul>
    </Section>
  );
}

function NewFact({ agent, fact, onKeep }: { agent: string; fact: Fact; onKeep: () => void }) {
  const { key } = useConnection();
  const forget = useForget(agent);
  const open = { to: "/agents/$agent/memories", params: { agent }, search: { id: fact.id } };
  return (
    <li className="group relative flex items-start gap-3 border-t border-border px-4 py-2 first:border-t-0 hover:bg-hover">
      <span className="flex min-w-0 grow flex-col gap-0.5">
        <Link {...open} dir="auto" className="text-base [overflow-wrap:anywhere] hover:underline">
          {fact.text}
        </Link>
        <span className="flex flex-wrap items-center gap-2 text-xs text-fg-2">
          <Badge title={fact.key}>{badgeOf(fact)}</Badge>
          <span>
            {fact.subject ?? fact.scope.user}
            {(fact.subject ?? fact.scope.user) && " · "}
            <RelativeTime at={fact.createdAt} />
          </span>
        </span>
      </span>
      <span className="flex shrink-0 gap-1 transition-opacity md:absolute md:end-3 md:bottom-1.5 md:rounded-md md:bg-surface md:opacity-0 md:shadow-sm md:group-focus-within:opacity-100 md:group-hover:opacity-100">
        <Button kind="ghost" size="smallIcon" tip={texts.memories.keep} onClick={onKeep}>
          <Check className="size-4" />
        </Button>
        {mayDo(key, "agent:write") && (
          <>
            <Button
              kind="ghost"
              size="smallIcon"
              tip={texts.labels.correct}
              onClick={() => navigate({ ...open, search: { id: fact.id, edit: "true" } })}
            >
              <Pencil className="size-4" />
            </Button>
            <Button kind="ghost" size="smallIcon" tip={texts.labels.forget} onClick={() => forget([fact])}>
              <Trash2 className="size-4" />
            </Button>
          </>
        )}
      </span>
    </li>
  );
}
