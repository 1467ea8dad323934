import { ChartColumn, ChevronDown, Download, FlaskConical, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import type { SearchOptions } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { mayDo, messageOf } from "../../lib/connection.ts";
import { count, counted } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { AddQuestion } from "./add-question.tsx";
import { exportForCli } from "./export-for-cli.ts";
import { Questions } from "./questions.tsx";
import { Runs } from "./runs.tsx";
import { Trend } from "./trend.tsx";
import { useQuestions } from "./use-questions.ts";
import { useRanks, useRuns } from "./use-runs.ts";

const RANKINGS = ["adaptive", "weighted", "rrf"] as const;

/**
 * Measures how well searches find known answers: runs the saved questions, and compares two runs.
 */
export function EvaluationsPage() {
  const { agent, search, change } = useViewAddress();
  const saved = useQuestions(agent);
  const { questions } = saved;
  const { runs, start, here, error } = useRuns(agent, questions, saved.shared);
  const done = useMemo(() => runs.filter(({ state }) => state === "done"), [runs]);
  const newest = done[0];
  const before = done.find(({ id }) => id === search.before) ?? done[1];
  const [ranks, ranksBefore] = [useRanks(agent, newest), useRanks(agent, before)];
  const isRunning = start.isPending || here.isPending || runs.some(({ state }) => state === "waiting");
  const run = (options: SearchOptions) =>
    saved.shared && Object.keys(options).length === 0 ? start.mutate() : here.mutate(options);
  return (
    <Page
      head={
        <PageHeader
          title={texts.places.evaluations}
          note={!saved.isPending && count(questions.length)}
          actions={<Actions agent={agent} saved={saved} isRunning={isRunning} onRun={run} />}
        />
      }
    >
      {saved.isPending && <Loading what={texts.evaluation.theQuestions} />}
      {saved.error && <ErrorBox error={saved.error} />}
      {error && <ErrorBox error={error} />}
      {saved.unshared > 0 && (
        <p className="flex flex-wrap items-center gap-3 rounded-lg bg-accent-soft px-4 py-2 text-sm">
          <span className="grow">{texts.evaluation.unshared(counted(saved.unshared, texts.nouns.question))}</span>
          <Button size="small" onClick={() => void saved.share()}>
            {texts.evaluation.share}
          </Button>
        </p>
      )}
      {!saved.isPending && questions.length === 0 && (
        <Empty icon={ChartColumn} title={texts.evaluation.none}>
          <p className="mb-3">{texts.search.noSaved}</p>
          <LinkButton to="/agents/$agent/search" params={{ agent }}>
            {texts.places.search}
          </LinkButton>
        </Empty>
      )}
      {questions.length > 0 && (
        <>
          {done.length > 1 && <Trend runs={done} />}
          <Runs runs={runs} compared={before?.id} onCompare={(id) => change({ before: id }, true)} />
          <Questions questions={questions} ranks={ranks} before={ranksBefore} onRemove={saved.remove} />
        </>
      )}
    </Page>
  );
}

interface ActionsProps {
  agent: string;
  saved: ReturnType<typeof useQuestions>;
  isRunning: boolean;
  onRun: (options: SearchOptions) => void;
}

function Actions({ agent, saved, isRunning, onRun }: ActionsProps) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const [adding, setAdding] = useState(false);
  const isEmpty = saved.questions.length === 0;
  const save = async () => {
    try {
      await exportForCli(memory, saved.questions);
      toast(texts.search.evalSaved);
    } catch (error) {
      toast(messageOf(error), { failed: true });
    }
  };
  return (
    <>
      <Button kind={isEmpty ? "primary" : "secondary"} onClick={() => setAdding(true)}>
        <Plus className="size-4" />
        {texts.evaluation.add}
      </Button>
      {mayDo(key, "agent:read") && !isEmpty && (
        <Button onClick={() => void save()}>
          <Download className="size-4" />
          {texts.evaluation.save}
        </Button>
      )}
      {!isEmpty && (
        <>
          <Menu
            label={texts.evaluation.runWith}
            trigger={(props) => (
              <Button {...props} disabled={isRunning}>
                {texts.evaluation.runWith}
                <ChevronDown className="size-3.5" />
              </Button>
            )}
            items={RANKINGS.map((fusion) => ({
              label: texts.search.fusions[fusion],
              icon: FlaskConical,
              onChoose: () => onRun({ fusion }),
            }))}
          />
          <Button kind="primary" disabled={isRunning} onClick={() => onRun({})}>
            {isRunning ? texts.evaluation.running : texts.evaluation.run}
          </Button>
        </>
      )}
      {adding && <AddQuestion onAdd={saved.add} onClose={() => setAdding(false)} />}
    </>
  );
}
