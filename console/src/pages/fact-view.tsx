import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Fact } from "recollect/client";
import { useAgent, useConnection } from "../app/connection-context.ts";
import { useUnsaved } from "../app/use-unsaved.ts";
import { useViewAddress } from "../app/view-address.ts";
import { mayDo } from "../lib/connection.ts";
import { moment } from "../lib/format.ts";
import { forgetEdits } from "../lib/unsaved.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Confirm } from "../ui/confirm.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { FactSource } from "./fact-source.tsx";

/** Shows a fact and its history, and lets the user correct, restore or forget the fact. */
export function FactView({ agent, id }: { agent: string; id: string }) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const { change } = useViewAddress();
  const queries = useQueryClient();
  const [forgetting, setForgetting] = useState(false);
  const history = useQuery({ queryKey: ["fact", agent, id], queryFn: () => memory.facts.history(id) });
  if (history.isPending) return <Loading what={texts.labels.theFact} />;
  if (history.error) return <ErrorBox error={history.error} onRetry={() => void history.refetch()} />;
  const fact = history.data.facts.find((one) => one.id === id);
  if (!fact) return <ErrorBox error={new Error(texts.facts.gone)} />;
  const holding = history.data.facts.filter(({ validTo }) => !validTo).map((one) => one.id);
  const changed = () => queries.invalidateQueries({ queryKey: ["facts", agent] });
  return (
    <article>
      <h2 dir="auto">{fact.text}</h2>
      <table className="about">
        <tbody>
          {rowsOf(fact).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{texts.columns.from}</th>
            <td>
              <FactSource agent={agent} source={fact.source} />
            </td>
          </tr>
        </tbody>
      </table>
      {mayDo(key, "agent:write") && (
        <>
          {fact.validTo ? (
            <Restore agent={agent} fact={fact} holding={holding} onDone={changed} />
          ) : (
            <Correct agent={agent} fact={fact} onDone={changed} />
          )}
          <button type="button" className="danger" onClick={() => setForgetting(true)}>
            {texts.labels.forget}
          </button>
        </>
      )}
      <h3>{texts.labels.whatHeldWhen}</h3>
      <ol className="timeline">
        {history.data.facts.map((one) => (
          <li key={one.id} className={one.validTo ? "past" : ""} aria-current={one.id === id || undefined}>
            <time dateTime={one.validFrom}>{moment(one.validFrom)}</time>
            {sentences.until(one.validTo && moment(one.validTo))}
            <button type="button" className="link" dir="auto" onClick={() => change({ id: one.id })}>
              {one.text}
            </button>
          </li>
        ))}
      </ol>
      {forgetting && (
        <Confirm
          title={texts.labels.forgetTheFact}
          message={texts.facts.forget}
          name={id}
          action={texts.labels.forget}
          onConfirm={async () => {
            await memory.facts.forget(id);
            await changed();
            change({ id: undefined });
          }}
          onClose={() => setForgetting(false)}
        />
      )}
    </article>
  );
}

function rowsOf(fact: Fact): [string, string][] {
  const rows: [string, string | undefined][] = [
    [texts.columns.category, fact.category],
    [texts.columns.key, fact.key],
    [texts.columns.importance, String(fact.importance)],
    [texts.columns.tags, fact.tags.join(", ")],
    [texts.columns.storedBy, fact.source.by],
    [texts.columns.holdsSince, moment(fact.validFrom)],
    [texts.columns.heldUntil, fact.validTo && moment(fact.validTo)],
    [texts.columns.confirmed, moment(fact.confirmedAt)],
    [texts.columns.expires, fact.expiresAt && moment(fact.expiresAt)],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== "");
}

/**
 * Makes an earlier fact hold again. The fact is stored anew and replaces the facts that hold now.
 */
function Restore({
  agent,
  fact,
  holding,
  onDone,
}: {
  agent: string;
  fact: Fact;
  /** The ids of the facts that replaced this fact and hold now. */
  holding: string[];
  onDone: () => Promise<unknown>;
}) {
  const memory = useAgent(agent);
  const { change } = useViewAddress();
  const restore = useMutation({
    mutationFn: () => {
      const { text, key, category, importance, tags, scope } = fact;
      const supersedes = holding.length > 0 ? { supersedes: holding } : {};
      return memory.facts.add({ text, category, importance, tags, scope, ...supersedes, ...(key ? { key } : {}) });
    },
    onSuccess: async ({ facts: [stored] }) => {
      await onDone();
      if (stored) change({ id: stored.id });
    },
  });
  return (
    <>
      {restore.error && <ErrorBox error={restore.error} />}
      <button type="button" onClick={() => restore.mutate()} disabled={restore.isPending}>
        {texts.labels.restore}
      </button>
    </>
  );
}

/** Corrects a fact. The old text stays in the history as a fact that held before. */
function Correct({ agent, fact, onDone }: { agent: string; fact: Fact; onDone: () => Promise<unknown> }) {
  const memory = useAgent(agent);
  const { change } = useViewAddress();
  const [text, setText] = useState(fact.text);
  useUnsaved(text !== fact.text, "id");
  const correct = useMutation({
    mutationFn: () => memory.facts.change(fact.id, { text }),
    onSuccess: async ({ id }) => {
      forgetEdits();
      await onDone();
      change({ id });
    },
  });
  return (
    <details>
      <summary>{texts.labels.correct}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          correct.mutate();
        }}
      >
        <label>
          {texts.labels.whatHoldsNow}
          <input required value={text} dir="auto" maxLength={2000} onChange={(event) => setText(event.target.value)} />
        </label>
        {correct.error && <ErrorBox error={correct.error} />}
        <button type="submit" className="primary" disabled={correct.isPending || text === fact.text}>
          {texts.labels.correct}
        </button>
      </form>
    </details>
  );
}
