import { Trash2 } from "lucide-react";
import type { EvalQuestion } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { cn } from "../../lib/cn.ts";
import { mayDo } from "../../lib/connection.ts";
import { type EvalRun, gains } from "../../lib/eval-runs.ts";
import { targetOfPath } from "../../lib/hit-target.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/section.tsx";

interface QuestionsProps {
  questions: readonly EvalQuestion[];
  /** The ranks of the newest run, and of the run that it is compared with. */
  ranks: EvalRun["ranks"] | undefined;
  before: EvalRun["ranks"] | undefined;
  onRemove: (id: string) => void;
}

/** Lists the questions with their answers, and the ranks at which two runs found them. */
export function Questions({ questions, ranks, before, onRemove }: QuestionsProps) {
  const { agent } = useViewAddress();
  const { key } = useConnection();
  const gained = ranks && before ? gains(before, ranks) : undefined;
  const count = (isCounted: (gain: number) => boolean) => [...(gained?.values() ?? [])].filter(isCounted).length;
  const columns: Column<EvalQuestion>[] = [
    {
      id: "question",
      head: texts.labels.question,
      sortBy: ({ text }) => text,
      show: ({ text }) => (
        <Link to="/agents/$agent/search" params={{ agent }} search={{ q: text }} className="hover:underline">
          {text}
        </Link>
      ),
    },
    {
      id: "answer",
      head: texts.labels.rightAnswer,
      show: ({ expected }) => (
        <span className="flex flex-col">
          {expected.map(({ path }) =>
            mayDo(key, "agent:read") ? (
              <Link key={path} {...targetOfPath(agent, path)} className="hover:underline">
                {path}
              </Link>
            ) : (
              <span key={path}>{path}</span>
            ),
          )}
        </span>
      ),
    },
    ...(before
      ? [
          {
            id: "before",
            head: texts.evaluation.before,
            end: true,
            show: ({ text }: EvalQuestion) => placeOf(before[text]),
          },
        ]
      : []),
    {
      id: "now",
      head: texts.labels.foundAt,
      end: true,
      sortBy: ({ text }) => ranks?.[text] ?? 1000,
      show: ({ text }) => <Place rank={ranks?.[text]} gain={gained?.get(text) ?? 0} />,
    },
    {
      id: "remove",
      head: "",
      show: ({ id, text }) => (
        <Button kind="ghost" size="smallIcon" tip={texts.sentences.remove(text)} onClick={() => onRemove(id)}>
          <Trash2 className="size-4" />
        </Button>
      ),
    },
  ];
  return (
    <Section
      title={texts.evaluation.questions}
      note={
        gained &&
        texts.sentences.gained(
          count((gain) => gain > 0),
          count((gain) => gain < 0),
          count((gain) => gain === 0),
        )
      }
    >
      <DataTable
        name="questions"
        label={texts.evaluation.tableOfQuestions}
        rows={questions}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </Section>
  );
}

function Place({ rank, gain }: { rank: number | null | undefined; gain: number }) {
  return (
    <span className={cn(gain > 0 && "text-ok", gain < 0 && "text-bad")}>
      {gain > 0 && "▲ "}
      {gain < 0 && "▼ "}
      {placeOf(rank)}
    </span>
  );
}

function placeOf(rank: number | null | undefined): string {
  return rank === null ? texts.evaluation.notInTen : String(rank ?? "");
}
