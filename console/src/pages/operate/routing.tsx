import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { Bindings, Destination } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { OriginFields, originOf } from "./origin-fields.tsx";
import { Rules } from "./rules.tsx";

/** Shows the rules that route messages to agents, and says where a given message would go. */
export function RoutingPart() {
  const { client } = useConnection();
  const rules = useQuery({
    queryKey: ["bindings"],
    queryFn: () => client.request<Bindings>("GET", "/v1/bindings"),
  });
  if (rules.isPending) return <Loading what={texts.labels.theRules} />;
  if (rules.error) return <ErrorBox error={rules.error} onRetry={() => void rules.refetch()} />;
  return (
    <>
      <WhereTo />
      <Rules {...rules.data} />
    </>
  );
}

function WhereTo() {
  const { client } = useConnection();
  const ask = useMutation({ mutationFn: (body: object) => client.request<Destination>("POST", "/v1/route", { body }) });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    ask.mutate(originOf(new FormData(event.currentTarget)));
  };
  return (
    <form className="card row" onSubmit={submit}>
      <h2 className="whole">{texts.routing.whereTo}</h2>
      <OriginFields />
      <button type="submit">{texts.labels.ask}</button>
      {ask.error && <ErrorBox error={ask.error} />}
      {ask.data && (
        <p role="status">
          {texts.routing.goesTo} <strong>{ask.data.agentId}</strong> {texts.routing.matchedBy} {ask.data.matchedBy}{" "}
          {texts.routing.inSession} <code>{ask.data.sessionKey}</code>
        </p>
      )}
    </form>
  );
}
