import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { Bindings, Destination } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Scroll } from "../../ui/scroll.tsx";

/** The rules by which messages find their agent, and where one would go. */
export function RoutingPart() {
  const { client } = useConnection();
  const rules = useQuery({
    queryKey: ["bindings"],
    queryFn: () => client.request<Bindings>("GET", "/v1/bindings"),
  });
  if (rules.isPending) return <Loading what={texts.labels.theRules} />;
  if (rules.error) return <ErrorBox error={rules.error} />;
  const all = [
    ...rules.data.bindings.map((rule) => ({ ...rule, from: texts.operate.ruleOfTenant })),
    ...rules.data.inherited.map((rule) => ({ ...rule, from: texts.operate.ruleOfOperator })),
  ];
  return (
    <>
      <WhereTo />
      {all.length === 0 ? (
        <Empty title={texts.operate.noRule} />
      ) : (
        <Scroll label={texts.operate.rules}>
          <table>
            <thead>
              <tr>
                <th>{texts.labels.messagesOf}</th>
                <th>{texts.operate.toAgent}</th>
                <th>{texts.labels.ruleOf}</th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ agentId, match = {}, from }) => (
                <tr key={JSON.stringify([agentId, match, from])}>
                  <td>
                    {[match.channel, match.accountId, match.peer && `${match.peer.kind} ${match.peer.id}`]
                      .filter(Boolean)
                      .join(" · ") || texts.operate.everything}
                  </td>
                  <td>{agentId}</td>
                  <td>{from}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </>
  );
}

function WhereTo() {
  const { client } = useConnection();
  const ask = useMutation({ mutationFn: (body: object) => client.request<Destination>("POST", "/v1/route", { body }) });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const peer = text("peer") === "" ? {} : { peer: { kind: text("kind"), id: text("peer") } };
    const given = ["channel", "accountId"].filter((name) => text(name) !== "").map((name) => [name, text(name)]);
    ask.mutate({ ...Object.fromEntries(given), ...peer });
  };
  return (
    <form className="card row" onSubmit={submit}>
      <h2 className="whole">{texts.labels.whereWouldThisMessageGo}</h2>
      <label>
        {texts.labels.channel}
        <input name="channel" placeholder={texts.labels.slack} />
      </label>
      <label>
        {texts.labels.account}
        <input name="accountId" />
      </label>
      <label>
        {texts.labels.kindOfPeer}
        <select name="kind">
          <option>{texts.labels.direct}</option>
          <option>{texts.labels.group}</option>
          <option>{texts.labels.channel2}</option>
        </select>
      </label>
      <label>
        {texts.labels.peer}
        <input name="peer" />
      </label>
      <button type="submit">{texts.labels.ask}</button>
      {ask.error && <ErrorBox error={ask.error} />}
      {ask.data && (
        <p role="status">
          {texts.operate.goesTo} <strong>{ask.data.agentId}</strong> {texts.operate.matchedBy} {ask.data.matchedBy}{" "}
          {texts.operate.inSession} <code>{ask.data.sessionKey}</code>
        </p>
      )}
    </form>
  );
}
