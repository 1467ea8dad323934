import { Check, Inbox, Pencil, Trash2 } from "lucide-react";
import { useMemo } from "react";
import type { Fact } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { useReviewed } from "../../lib/reviewed.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { CorrectFact } from "./correct-fact.tsx";
import { FactQuote } from "./fact-quote.tsx";
import { useFacts } from "./use-facts.ts";
import { useForget } from "./use-forget.ts";

const SHOWN = 20;
const CAPTURED = { sourceKind: "message" } as const;

/** Shows the facts that were captured from conversations and that nobody has looked at yet. */
export function Review({ agent }: { agent: string }) {
  const list = useFacts(agent, CAPTURED);
  const { reviewed, keep } = useReviewed(agent);
  const waiting = useMemo(() => list.facts.filter(({ id }) => !reviewed.has(id)), [list.facts, reviewed]);
  if (list.isPending) return <Loading what={texts.labels.theFacts} lines={8} />;
  if (list.error) return <ErrorBox error={list.error} onRetry={list.retry} />;
  if (waiting.length === 0)
    return (
      <Empty icon={Inbox} title={texts.memories.nothingToReview}>
        {texts.memories.nothingToReviewHint}
      </Empty>
    );
  return (
    <div className="min-h-0 grow overflow-auto" data-scroll="">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 p-5 max-md:p-4">
        <p className="flex items-center gap-3 text-sm text-fg-2">
          <span className="grow">{texts.memories.reviewHint}</span>
          <Button size="small" onClick={() => keep(waiting.map(({ id }) => id))}>
            {texts.memories.keepAll}
          </Button>
        </p>
        {waiting.slice(0, SHOWN).map((fact) => (
          <ReviewCard key={fact.id} agent={agent} fact={fact} onKeep={() => keep([fact.id])} />
        ))}
      </div>
    </div>
  );
}

function ReviewCard({ agent, fact, onKeep }: { agent: string; fact: Fact; onKeep: () => void }) {
  const { key } = useConnection();
  const { search, change } = useViewAddress();
  const forget = useForget(agent);
  const mayWrite = mayDo(key, "agent:write");
  return (
    <article className="flex flex-col gap-3 rounded-lg border border-border bg-surface p-4">
      {search.id === fact.id && search.edit === "true" ? (
        <CorrectFact agent={agent} fact={fact} onClose={() => change({ id: undefined, edit: undefined }, true)} />
      ) : (
        <h2 dir="auto" className="text-lg font-semibold [overflow-wrap:anywhere]">
          {fact.text}
        </h2>
      )}
      <p className="text-sm text-fg-2">
        {[fact.subject ?? fact.scope.user, texts.categories[fact.category]].filter(Boolean).join(" · ")} ·{" "}
        <RelativeTime at={fact.createdAt} />
      </p>
      <FactQuote agent={agent} fact={fact} />
      <div className="flex gap-2">
        <Button kind="primary" onClick={onKeep}>
          <Check className="size-4" />
          {texts.memories.keep}
        </Button>
        {mayWrite && (
          <>
            <Button onClick={() => change({ id: fact.id, edit: "true" }, true)}>
              <Pencil className="size-4" />
              {texts.labels.correct}
            </Button>
            <Button kind="danger" onClick={() => forget([fact])}>
              <Trash2 className="size-4" />
              {texts.labels.forget}
            </Button>
          </>
        )}
      </div>
    </article>
  );
}
