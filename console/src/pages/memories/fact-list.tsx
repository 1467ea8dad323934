import { Brain, Pencil, Trash2, X } from "lucide-react";
import { useState } from "react";
import type { Fact } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { download } from "../../lib/download.ts";
import { counted, shortDay } from "../../lib/format.ts";
import { badgeOf } from "../../lib/topic.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge, Dot } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { notLoaded } from "../../ui/not-loaded.tsx";
import { Panes } from "../../ui/panes.tsx";
import { useShortcuts } from "../../ui/use-shortcuts.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { FactView } from "./fact-view.tsx";
import type { useFacts } from "./use-facts.ts";
import { useForget } from "./use-forget.ts";

export type Facts = ReturnType<typeof useFacts>;

/** The facts as a list, and beside it the chosen one. */
export function FactList({ agent, list }: { agent: string; list: Facts }) {
  const { search, change } = useViewAddress();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { id } = search;
  const walk = (step: number) => {
    const at = list.facts.findIndex((fact) => fact.id === id);
    const next = list.facts[at < 0 ? 0 : Math.max(0, Math.min(list.facts.length - 1, at + step))];
    if (next) change({ id: next.id, edit: undefined }, true);
  };
  useShortcuts({ j: () => walk(1), k: () => walk(-1), Escape: id ? () => change({ id: undefined }) : undefined });
  return (
    <Panes
      name="memories"
      listLabel={texts.memories.list}
      detailLabel={texts.labels.fact}
      onBack={() => change({ id: undefined })}
      detail={id && <FactView key={id} agent={agent} id={id} />}
      placeholder={list.facts.length > 0 && <Empty icon={Brain} title={texts.memories.choose} />}
      list={
        <>
          {selected.size > 0 && (
            <BulkBar
              agent={agent}
              facts={list.facts.filter((fact) => selected.has(fact.id))}
              onClear={() => setSelected(new Set())}
            />
          )}
          <Rows agent={agent} list={list} selected={selected} onSelect={setSelected} />
        </>
      }
    />
  );
}

interface RowsProps {
  agent: string;
  list: Facts;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
}

function Rows({ agent, list, selected, onSelect }: RowsProps) {
  const { search, change } = useViewAddress();
  const { key } = useConnection();
  const forget = useForget(agent);
  const mayWrite = mayDo(key, "agent:write");
  const waiting = notLoaded(list, texts.labels.theFacts);
  if (waiting) return waiting;
  if (list.facts.length === 0) return <Nothing agent={agent} />;
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const reached = list.facts.some(({ id }) => id === search.id) ? search.id : list.facts[0]?.id;
  return (
    <>
      {list.isClose && <p className="border-b border-border px-5 py-2 text-sm text-fg-2">{texts.memories.close}</p>}
      <VirtualList
        rows={list.facts}
        label={texts.labels.listOfFacts}
        height={58}
        keyOf={(fact) => fact.id}
        onEnd={list.more}
        showing={search.id}
        render={(fact) => (
          <FactRow
            fact={fact}
            chosen={fact.id === search.id}
            reachable={fact.id === reached}
            selected={selected.has(fact.id)}
            onToggle={mayWrite ? () => toggle(fact.id) : undefined}
            onChoose={() => change({ id: fact.id, edit: undefined })}
            onCorrect={mayWrite && !fact.validTo ? () => change({ id: fact.id, edit: "true" }) : undefined}
            onForget={mayWrite ? () => forget([fact]) : undefined}
          />
        )}
      />
    </>
  );
}

interface FactRowProps {
  fact: Fact;
  chosen: boolean;
  reachable: boolean;
  selected: boolean;
  onToggle: (() => void) | undefined;
  onChoose: () => void;
  onCorrect: (() => void) | undefined;
  onForget: (() => void) | undefined;
}

/** A fact in a list: its sentence, and below it whom it is for and where it comes from. */
export function FactRow({ fact, chosen, reachable, selected, onToggle, onChoose, onCorrect, onForget }: FactRowProps) {
  const { text, subject, scope, key, validFrom, validTo, source } = fact;
  return (
    <ListRow
      chosen={chosen}
      reachable={reachable}
      onChoose={onChoose}
      lead={
        onToggle ? (
          <span className="relative z-1 grid size-4 place-items-center">
            <input
              type="checkbox"
              tabIndex={reachable ? 0 : -1}
              aria-label={texts.ui.selectRow(text)}
              checked={selected}
              onChange={onToggle}
              className={`absolute size-4 ${selected ? "" : "opacity-0 group-hover:opacity-100 focus-visible:opacity-100"}`}
            />
            <Dot of={validTo ? "none" : "fact"} className={selected ? "opacity-0" : "group-hover:opacity-0"} />
          </span>
        ) : (
          <Dot of={validTo ? "none" : "fact"} />
        )
      }
      title={
        <span dir="auto" className={validTo ? "text-fg-2" : ""}>
          {text}
        </span>
      }
      meta={
        <>
          <Badge title={key}>{badgeOf(fact)}</Badge>
          <span>
            {[
              subject ?? scope.user,
              texts.memories.sources[source.kind],
              validTo && texts.memories.untilDay(shortDay(validTo)),
            ]
              .filter(Boolean)
              .join(" · ")}
          </span>
        </>
      }
      end={texts.memories.since(shortDay(validFrom))}
      actions={
        (onCorrect || onForget) && (
          <>
            {onCorrect && (
              <Button kind="ghost" size="smallIcon" tabIndex={-1} tip={texts.labels.correct} onClick={onCorrect}>
                <Pencil className="size-3.5" />
              </Button>
            )}
            {onForget && (
              <Button kind="ghost" size="smallIcon" tabIndex={-1} tip={texts.labels.forget} onClick={onForget}>
                <Trash2 className="size-3.5" />
              </Button>
            )}
          </>
        )
      }
    />
  );
}

/** The bar of actions on the selected facts. */
function BulkBar({ agent, facts, onClear }: { agent: string; facts: readonly Fact[]; onClear: () => void }) {
  const forget = useForget(agent);
  return (
    <div
      role="toolbar"
      aria-label={texts.memories.bulk}
      className="flex items-center gap-2 border-b border-border bg-accent-soft px-5 py-1.5 text-sm"
    >
      <span className="grow">{texts.memories.selected(counted(facts.length, texts.nouns.fact))}</span>
      <Button size="small" onClick={() => download("facts.json", JSON.stringify(facts, null, 2))}>
        {texts.memories.export}
      </Button>
      <Button
        size="small"
        kind="danger"
        onClick={() => {
          forget(facts);
          onClear();
        }}
      >
        {texts.labels.forget}
      </Button>
      <Button size="smallIcon" kind="ghost" tip={texts.actions.clear} onClick={onClear}>
        <X className="size-4" />
      </Button>
    </div>
  );
}

/** Says that there is no fact, and how to change that. */
function Nothing({ agent }: { agent: string }) {
  const { search, change } = useViewAddress();
  const narrowed = Object.keys(search).some((name) => !["id", "view", "sort", "add"].includes(name));
  if (!narrowed)
    return (
      <Empty icon={Brain} title={texts.facts.none}>
        {texts.facts.noneHint}
      </Empty>
    );
  return (
    <Empty icon={Brain} title={texts.memories.noneFound}>
      <p className="mb-3">{texts.memories.noneFoundHint(agent)}</p>
      <Button onClick={() => change(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}>
        {texts.memories.clearFilters}
      </Button>
    </Empty>
  );
}
