import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Binding, Bindings } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useUnsavedFields } from "../../app/use-unsaved.ts";
import { mayDo } from "../../lib/connection.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Scroll } from "../../ui/scroll.tsx";
import { OriginFields, originOf } from "./origin-fields.tsx";

/**
 * Lists the rules that route messages to agents. The tenant's own rules can be added and removed.
 */
export function Rules({ bindings, inherited }: Bindings) {
  const { client, key } = useConnection();
  const queries = useQueryClient();
  const [removing, setRemoving] = useState<Binding>();
  const owner = mayDo(key, "tenant");
  const replace = async (rules: readonly Binding[]) => {
    await client.request("PUT", "/v1/bindings", { body: { bindings: rules } });
    await queries.invalidateQueries({ queryKey: ["bindings"] });
  };
  const all = [...bindings.map((rule) => ({ rule, own: true })), ...inherited.map((rule) => ({ rule, own: false }))];
  return (
    <>
      {owner && <NewRule onAdd={(rule) => replace([...bindings, rule])} />}
      {all.length === 0 ? (
        <Empty title={texts.routing.none}>{owner && texts.routing.noneHint}</Empty>
      ) : (
        <Scroll label={texts.routing.rules}>
          <table>
            <thead>
              <tr>
                <th>{texts.routing.messagesOf}</th>
                <th>{texts.routing.goTo}</th>
                <th>{texts.routing.ruleOf}</th>
                {owner && <th>{texts.columns.actions}</th>}
              </tr>
            </thead>
            <tbody>
              {all.map(({ rule, own }) => (
                <tr key={JSON.stringify([rule, own])}>
                  <td>{matchOf(rule)}</td>
                  <td>{rule.agentId}</td>
                  <td>{own ? texts.routing.ofTenant : texts.routing.ofOperator}</td>
                  {owner && (
                    <td>
                      {own && (
                        <button type="button" className="danger" onClick={() => setRemoving(rule)}>
                          {texts.labels.remove}
                        </button>
                      )}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {removing && (
        <Confirm
          title={texts.routing.removeRule}
          message={sentences.removeRule(matchOf(removing), removing.agentId)}
          name={removing.agentId}
          action={texts.labels.remove}
          onConfirm={() => replace(bindings.filter((rule) => rule !== removing))}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function matchOf({ match = {} }: Binding): string {
  const { channel, accountId, peer } = match;
  return (
    [channel, accountId, peer && `${peer.kind} ${peer.id}`].filter(Boolean).join(" · ") || texts.routing.everything
  );
}

function NewRule({ onAdd }: { onAdd: (rule: Binding) => Promise<void> }) {
  const add = useMutation({ mutationFn: onAdd });
  const { fields } = useUnsavedFields();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = new FormData(form);
    const match = originOf(values);
    const rule = { agentId: String(values.get("agentId")).trim(), ...(Object.keys(match).length > 0 ? { match } : {}) };
    add.mutate(rule, { onSuccess: () => form.reset() });
  };
  return (
    <details className="card">
      <summary>{texts.routing.addRule}</summary>
      <form className="row" onSubmit={submit} {...fields}>
        <label>
          {texts.routing.goTo}
          <input name="agentId" required />
        </label>
        <OriginFields />
        <button type="submit" disabled={add.isPending}>
          {texts.labels.add}
        </button>
        {add.error && <ErrorBox error={add.error} />}
      </form>
      <p className="quiet">{texts.routing.addHint}</p>
    </details>
  );
}
