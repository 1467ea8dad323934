import { useQuery } from "@tanstack/react-query";
import {
  Copy,
  Ellipsis,
  FileJson,
  Link2,
  ListFilter,
  Pencil,
  RotateCcw,
  SlidersHorizontal,
  Trash2,
} from "lucide-react";
import { useState } from "react";
import { type Fact, RecollectError } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { download } from "../../lib/download.ts";
import { shortDay } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { badgeOf } from "../../lib/topic.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useShortcuts } from "../../ui/use-shortcuts.ts";
import { CorrectFact } from "./correct-fact.tsx";
import { EditDetails } from "./edit-details.tsx";
import { FactChanges } from "./fact-changes.tsx";
import { FactDetails } from "./fact-details.tsx";
import { FactQuote } from "./fact-quote.tsx";
import { RelatedFacts } from "./related-facts.tsx";
import { useForget } from "./use-forget.ts";
import { useRestore } from "./use-restore.ts";

/** Shows a fact: what it says, who said it where, how it changed, and what is near it. */
export function FactView({ agent, id }: { agent: string; id: string }) {
  const memory = useAgent(agent);
  const history = useQuery({ queryKey: ["facts", agent, "one", id], queryFn: () => memory.facts.history(id) });
  if (history.isPending)
    return (
      <div className="p-6">
        <Loading what={texts.labels.theFact} />
      </div>
    );
  const fact = history.data?.facts.find((one) => one.id === id);
  const isGone = history.error instanceof RecollectError && history.error.status === 404;
  if (isGone || (history.data && !fact)) return <Empty title={texts.facts.gone} />;
  if (!fact)
    return (
      <div className="p-6">
        <ErrorBox error={history.error} onRetry={() => void history.refetch()} />
      </div>
    );
  return <Shown agent={agent} fact={fact} versions={history.data?.facts ?? []} />;
}

function Shown({ agent, fact, versions }: { agent: string; fact: Fact; versions: readonly Fact[] }) {
  const { search, change } = useViewAddress();
  const { key } = useConnection();
  const correcting = search.edit === "true" && mayDo(key, "agent:write") && !fact.validTo;
  return (
    <article className="mx-auto flex max-w-3xl flex-col gap-6 px-6 py-5 max-md:px-4">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <Badge tone="fact">{texts.labels.fact}</Badge>
          {fact.category !== "fact" && <Badge>{texts.categories[fact.category]}</Badge>}
          {fact.key && badgeOf(fact) !== texts.categories[fact.category] && (
            <Badge title={fact.key}>{badgeOf(fact)}</Badge>
          )}
          <Badge>
            {fact.validTo
              ? texts.memories.heldBetween(shortDay(fact.validFrom), shortDay(fact.validTo))
              : texts.memories.trueSince(shortDay(fact.validFrom))}
          </Badge>
          <Actions agent={agent} fact={fact} versions={versions} />
        </div>
        {correcting ? (
          <CorrectFact agent={agent} fact={fact} onClose={() => change({ edit: undefined }, true)} />
        ) : (
          <h2 dir="auto" className="text-xl leading-8 font-semibold [overflow-wrap:anywhere]">
            {fact.text}
          </h2>
        )}
      </div>
      <FactQuote agent={agent} fact={fact} />
      {versions.length > 1 && <FactChanges fact={fact} versions={versions} />}
      <RelatedFacts agent={agent} fact={fact} versions={versions} />
      <FactDetails fact={fact} />
    </article>
  );
}

/** The actions on a fact. An ended fact can be restored instead of corrected. */
function Actions({ agent, fact, versions }: { agent: string; fact: Fact; versions: readonly Fact[] }) {
  const { key } = useConnection();
  const { search, change } = useViewAddress();
  const forget = useForget(agent);
  const restore = useRestore(agent, versions);
  const [editing, setEditing] = useState(false);
  const mayWrite = mayDo(key, "agent:write");
  const correct = mayWrite && !fact.validTo ? () => change({ edit: "true" }, true) : undefined;
  const forgetIt = () => {
    forget([fact]);
    change({ id: undefined });
  };
  useShortcuts({ e: correct, Backspace: mayWrite ? forgetIt : undefined });
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    toast(texts.actions.copied);
  };
  const source = sourceOf(fact);
  return (
    <span className="ms-auto flex gap-2">
      {correct && search.edit !== "true" && (
        <Button onClick={correct}>
          <Pencil className="size-3.5 md:hidden" />
          {texts.labels.correct} <Kbd>{texts.memories.correctKey}</Kbd>
        </Button>
      )}
      {mayWrite && fact.validTo && (
        <Button onClick={() => restore.mutate(fact)} disabled={restore.isPending}>
          <RotateCcw className="size-4" />
          {texts.labels.restore}
        </Button>
      )}
      {mayWrite && (
        <Button kind="danger" onClick={forgetIt}>
          <Trash2 className="size-3.5 md:hidden" />
          {texts.labels.forget}
        </Button>
      )}
      <Menu
        label={texts.actions.more}
        trigger={(props) => (
          <Button {...props} kind="ghost" size="icon" tip={texts.actions.more}>
            <Ellipsis className="size-4" />
          </Button>
        )}
        items={[
          mayWrite &&
            !fact.validTo && {
              label: texts.memories.editDetails,
              icon: SlidersHorizontal,
              onChoose: () => setEditing(true),
            },
          source !== undefined && {
            label: texts.memories.sameSource,
            icon: ListFilter,
            onChoose: () => change({ source, from: undefined, view: undefined }),
          },
          { label: texts.memories.copyText, icon: Copy, onChoose: () => void copy(fact.text) },
          { label: texts.memories.copyLink, icon: Link2, onChoose: () => void copy(location.href) },
          {
            label: texts.memories.export,
            icon: FileJson,
            onChoose: () => download(`fact-${fact.id}.json`, JSON.stringify(versions, null, 2)),
          },
        ]}
      />
      {editing && <EditDetails agent={agent} fact={fact} onClose={() => setEditing(false)} />}
    </span>
  );
}

/** Returns the conversation or file that a fact comes from, as the filter of the list names it. */
function sourceOf({ source }: Fact): string | undefined {
  if (source.kind === "message") return source.session;
  return source.kind === "file" ? source.path : undefined;
}
