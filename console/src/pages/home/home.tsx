import { RecollectError } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useStatus } from "../../app/use-status.ts";
import { mayDo } from "../../lib/connection.ts";
import { counted } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { MissingAgent } from "../../ui/missing-agent.tsx";
import { Page } from "../../ui/page.tsx";
import { usePeople } from "../memories/use-people.ts";
import { Calls } from "./calls.tsx";
import { Changed } from "./changed.tsx";
import { Growth } from "./growth.tsx";
import { HealthLine } from "./health-line.tsx";
import { IndexState } from "./index-state.tsx";
import { NewFacts } from "./new-facts.tsx";
import { StartHere } from "./start-here.tsx";

/** Shows what an agent remembers, what is new, and how it is used. */
export function HomePage() {
  const { agent } = useViewAddress();
  const status = useStatus(agent);
  if (status.isPending)
    return (
      <Page>
        <Loading what={texts.labels.theStatus} lines={8} />
      </Page>
    );
  if (!status.data) {
    const isMissing = status.error instanceof RecollectError && status.error.status === 404;
    return (
      <Page>
        {isMissing ? (
          <MissingAgent agent={agent} />
        ) : (
          <ErrorBox error={status.error} onRetry={() => void status.refetch()} />
        )}
      </Page>
    );
  }
  const isEmpty = status.data.chunks === 0 && status.data.facts === 0 && status.data.messages === 0;
  return (
    <Page>
      <Heading agent={agent} isEmpty={isEmpty} />
      {isEmpty ? (
        <StartHere agent={agent} />
      ) : (
        <div className="grid gap-5 lg:grid-cols-2">
          <Growth agent={agent} />
          <Calls agent={agent} />
          <NewFacts agent={agent} />
          <Changed agent={agent} />
        </div>
      )}
      <IndexState status={status.data} />
    </Page>
  );
}

/** Says in a sentence how much the agent remembers, and about how many people. */
function Heading({ agent, isEmpty }: { agent: string; isEmpty: boolean }) {
  const { key } = useConnection();
  const status = useStatus(agent);
  const { people, whole } = usePeople(agent);
  const { files = 0, sessions = 0, facts = 0 } = status.data ?? {};
  return (
    <header className="flex flex-wrap items-baseline gap-x-4 gap-y-2">
      <h1 className="text-xl font-semibold [overflow-wrap:anywhere]">
        {isEmpty
          ? texts.home.nothing(agent)
          : texts.home.remembers(
              agent,
              counted(whole ?? facts, texts.nouns.fact),
              people.length > 0 ? counted(people.length, texts.nouns.person) : "",
              counted(sessions, texts.nouns.conversation),
              counted(files, texts.nouns.file),
            )}
      </h1>
      {mayDo(key, "search") && <HealthLine agent={agent} />}
    </header>
  );
}
