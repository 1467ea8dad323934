import { useMutation, useQuery } from "@tanstack/react-query";
import { ArrowRight, Plus } from "lucide-react";
import type { FormEvent } from "react";
import type { Bindings, Destination } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { OriginFields, originOf } from "./origin-fields.tsx";
import { Rules } from "./rules.tsx";

/** Shows the rules that route messages to agents, and says where a given message would go. */
export function RoutingPage() {
  const { client, key } = useConnection();
  const { change } = useViewAddress();
  const rules = useQuery({
    queryKey: ["bindings"],
    queryFn: () => client.request<Bindings>("GET", "/v1/bindings"),
  });
  return (
    <Page
      head={
        <PageHeader
          title={texts.places.routing}
          actions={
            mayDo(key, "tenant") && (
              <Button kind="primary" onClick={() => change({ new: "rule" })}>
                <Plus aria-hidden="true" className="size-4" />
                {texts.routing.addRule}
              </Button>
            )
          }
        />
      }
    >
      <p className="max-w-prose text-sm text-fg-2">{texts.routing.intro}</p>
      <WhereTo />
      {rules.isPending && <Loading what={texts.labels.theRules} />}
      {rules.error && <ErrorBox error={rules.error} onRetry={() => void rules.refetch()} />}
      {rules.data && <Rules {...rules.data} />}
    </Page>
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
    <Section title={texts.routing.whereTo} note={texts.routing.whereToHint}>
      <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
        <OriginFields />
        <Button type="submit" disabled={ask.isPending}>
          {texts.labels.ask}
        </Button>
      </form>
      {ask.error && <ErrorBox error={ask.error} />}
      {ask.data && <Goes to={ask.data} />}
    </Section>
  );
}

function Goes({ to: { agentId, matchedBy, sessionKey } }: { to: Destination }) {
  return (
    <p role="status" className="flex flex-wrap items-center gap-2 rounded-md bg-sunken p-3 text-sm">
      <ArrowRight aria-hidden="true" className="size-4 text-accent" />
      <span>
        {texts.routing.goesTo}{" "}
        <Link to="/agents/$agent" params={{ agent: agentId }} className="font-semibold text-accent hover:underline">
          {agentId}
        </Link>
        {texts.routing.inSession} <code className="font-mono [overflow-wrap:anywhere]">{sessionKey}</code>
      </span>
      <Badge>{texts.routing.matched[matchedBy]}</Badge>
    </p>
  );
}
