import { useQuery } from "@tanstack/react-query";
import { MessageCircleQuestion } from "lucide-react";
import type { CapturedFact, Recalled } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { has } from "../../lib/features.ts";
import { count, score2 } from "../../lib/format.ts";
import { badgeOf } from "../../lib/topic.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge, Dot } from "../../ui/badge.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";
import { Snippet } from "../../ui/snippet.tsx";

/** English text has about four characters a token; an estimate is enough to judge a prompt. */
const CHARACTERS_A_TOKEN = 4;

interface RecallModeProps {
  agent: string;
  message: string;
  user: string | undefined;
}

/** Shows what an agent gets in its prompt for a message, and what the message would store. */
export function RecallMode({ agent, message, user }: RecallModeProps) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const scope = user === undefined ? {} : { scope: { user } };
  const recalled = useQuery({
    queryKey: ["recall", agent, message, user],
    queryFn: async () => {
      const begun = performance.now();
      const answer = await memory.recall({ message, ...scope });
      return { answer, ms: performance.now() - begun };
    },
    enabled: message !== "",
  });
  const mayCapture = has("capture") && mayDo(key, "agent:write");
  const captured = useQuery({
    queryKey: ["capture", agent, message, user],
    queryFn: () => memory.capture({ messages: [{ role: "user", text: message }], dryRun: true, ...scope }),
    enabled: message !== "" && mayCapture,
  });
  if (message === "")
    return (
      <Empty icon={MessageCircleQuestion} title={texts.recall.prompt}>
        {texts.recall.promptHint}
      </Empty>
    );
  return (
    <div className="min-h-0 grow overflow-auto" data-scroll="">
      <div className="mx-auto grid max-w-[105rem] gap-5 p-5 max-md:p-4 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          {recalled.isLoading && <Loading what={texts.recall.theBlock} />}
          {recalled.error && <ErrorBox error={recalled.error} onRetry={() => void recalled.refetch()} />}
          {recalled.data && <Block answer={recalled.data.answer} ms={recalled.data.ms} />}
          {mayCapture && (
            <Section title={texts.recall.wouldStore}>
              {captured.error && <ErrorBox error={captured.error} />}
              {captured.isLoading && <Loading what={texts.labels.theFacts} />}
              {captured.data && <WouldStore facts={captured.data.facts} warnings={captured.data.warnings} />}
            </Section>
          )}
        </div>
        {recalled.data && <Parts agent={agent} answer={recalled.data.answer} />}
      </div>
    </div>
  );
}

/** The text as the model gets it, with its length and what had no room in it. */
function Block({ answer, ms }: { answer: Recalled; ms: number }) {
  const text = [answer.instructionsBlock, answer.block].filter((part) => part !== "").join("\n\n");
  const cut =
    answer.facts.length -
    answer.shown +
    answer.quotes.length -
    answer.shownQuotes +
    answer.instructions.length -
    answer.shownInstructions;
  return (
    <Section
      title={texts.recall.block}
      note={[
        texts.recall.tokens(count(Math.ceil(text.length / CHARACTERS_A_TOKEN))),
        texts.search.took(count(Math.round(ms))),
        cut > 0 && texts.recall.cut(cut),
      ]
        .filter(Boolean)
        .join(" · ")}
    >
      {answer.warning && <p className="text-sm text-bad">{answer.warning}</p>}
      {text === "" ? (
        <Empty title={texts.recall.silent}>{texts.recall.silentHint}</Empty>
      ) : (
        <Snippet wrap code={text} label={texts.recall.text} />
      )}
    </Section>
  );
}

/** The facts and passages that were recalled, each with its score, and whether it is in the block. */
function Parts({ agent, answer }: { agent: string; answer: Recalled }) {
  const { instructions, facts, quotes, shown, shownQuotes, shownInstructions } = answer;
  const lines = [
    ...instructions.map((fact, at) => ({ ...fact, score: undefined, in: at < shownInstructions })),
    ...facts.map((fact, at) => ({ ...fact, in: at < shown })),
  ];
  return (
    <Section title={texts.recall.parts} className="self-start">
      <ul className="flex flex-col">
        {lines.map(({ id, text, score, in: isIn }) => (
          <li
            key={`${id} ${score}`}
            className="flex items-baseline gap-2 border-b border-border py-2 text-base last:border-0"
          >
            <Dot of={isIn ? "fact" : "none"} className="shrink-0" />
            <Link
              to="/agents/$agent/memories"
              params={{ agent }}
              search={{ id }}
              dir="auto"
              className="min-w-0 grow [overflow-wrap:anywhere] hover:underline"
            >
              {text}
            </Link>
            {!isIn && <Badge tone="warn">{texts.recall.noRoom}</Badge>}
            {score !== undefined && <span className="tabular text-end text-sm text-fg-2">{score2(score)}</span>}
          </li>
        ))}
        {quotes.map((quote, at) => (
          <li
            key={`${quote.path}:${quote.startLine}`}
            className="flex items-baseline gap-2 border-b border-border py-2 text-base last:border-0"
          >
            <Dot of={at >= shownQuotes ? "none" : quote.source === "sessions" ? "chat" : "file"} className="shrink-0" />
            <span className="min-w-0 grow">
              <span dir="auto" className="line-clamp-3 [overflow-wrap:anywhere]">
                {quote.text}
              </span>
              <span className="text-xs text-fg-2">{quote.citation}</span>
            </span>
            {at >= shownQuotes && <Badge tone="warn">{texts.recall.noRoom}</Badge>}
            <span className="tabular text-end text-sm text-fg-2">{score2(quote.score)}</span>
          </li>
        ))}
      </ul>
      {lines.length + quotes.length === 0 && <p className="text-sm text-fg-2">{texts.recall.silent}</p>}
    </Section>
  );
}

function WouldStore({ facts, warnings }: { facts: readonly CapturedFact[]; warnings: readonly string[] }) {
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className="text-sm text-fg-2">
          {warning}
        </p>
      ))}
      {facts.length === 0 && <p className="text-sm text-fg-2">{texts.recall.storesNothing}</p>}
      <ul className="flex flex-col gap-2">
        {facts.map(({ text, category, key, subject }) => (
          <li key={text} className="flex items-baseline gap-2 text-base">
            <Dot of="fact" className="shrink-0" />
            <span dir="auto" className="min-w-0 grow [overflow-wrap:anywhere]">
              {text}
            </span>
            <span className="text-xs text-fg-2">
              {[subject, badgeOf({ key, category })].filter(Boolean).join(" · ")}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
