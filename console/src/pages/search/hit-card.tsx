import { Check } from "lucide-react";
import { useState } from "react";
import type { HitExplanation, SearchHit } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayRead, messageOf } from "../../lib/connection.ts";
import { count, score, score2, shortDay } from "../../lib/format.ts";
import { targetOf } from "../../lib/hit-target.ts";
import { headingOf, plainText, withoutSource } from "../../lib/plain-text.ts";
import { toast } from "../../lib/toasts.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge, Dot } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Marked } from "../../ui/marked.tsx";
import { Meter } from "../../ui/meter.tsx";
import { ScoreStrip } from "../../ui/score-strip.tsx";
import { useQuestions } from "../evaluations/use-questions.ts";

const TONES = { facts: "fact", memory: "file", sessions: "chat" } as const;

/** Shows one hit: what it is, its words, its score and what the score is made of. */
export function HitCard({ hit, agent, query }: { hit: SearchHit; agent: string; query: string }) {
  const [open, setOpen] = useState(false);
  const { explain } = hit;
  return (
    <article className="hit flex flex-col gap-1.5 border-b border-border px-5 py-3 max-md:px-4">
      <header className="flex items-baseline gap-2">
        <Dot of={hit.sharedBy ? "shared" : TONES[hit.source]} className="self-center" />
        <Title hit={hit} agent={agent} />
        {hit.sharedBy && <Badge tone="shared">{texts.sentences.sharedBy(hit.sharedBy)}</Badge>}
        <strong className="tabular ms-auto shrink-0 text-sm" title={texts.labels.score}>
          {score2(hit.score)}
        </strong>
      </header>
      <Snippet hit={hit} query={query} />
      <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-fg-2">
        {explain && (
          <>
            <ScoreStrip parts={partsOf(hit.score, explain)} />
            <span className="tabular">{placesOf(explain)}</span>
          </>
        )}
        <span className="ms-auto flex gap-1">
          <MarkCorrect hit={hit} agent={agent} query={query} />
          {explain && (
            <Button kind="ghost" size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
              {texts.search.why}
            </Button>
          )}
        </span>
      </footer>
      {open && explain && <Explained explain={explain} />}
    </article>
  );
}

/** What the hit is, in words: a fact's kind, a heading, or the names of a conversation. */
function Title({ hit, agent }: { hit: SearchHit; agent: string }) {
  const { key } = useConnection();
  const { name, place } = titleOf(hit);
  const owner = hit.sharedBy ?? agent;
  return (
    <span className="min-w-0 text-sm [overflow-wrap:anywhere]">
      {mayRead(key, owner) ? (
        <Link {...targetOf(agent, hit)} className="font-semibold hover:underline">
          {name}
        </Link>
      ) : (
        <span className="font-semibold">{name}</span>
      )}
      {place && <span className="ms-2 text-fg-2">{place}</span>}
      <span className="ms-2 whitespace-nowrap text-fg-2">{shortDay(hit.fact?.since ?? hit.date)}</span>
    </span>
  );
}

function titleOf(hit: SearchHit): { name: string; place?: string } {
  const { path, startLine, endLine, source, snippet, fact, session } = hit;
  if (source === "facts")
    return {
      name: [texts.labels.fact, fact?.subject, fact && fact.category !== "fact" && texts.categories[fact.category]]
        .filter(Boolean)
        .join(" · "),
    };
  if (source === "sessions" && session)
    return {
      name: texts.search.conversation(session.key.replace(/^agent:[^:]+:/, "")),
      place: texts.search.messagesOf(session.messages.from, session.messages.to),
    };
  const file = path.split("/").at(-1) ?? path;
  const heading = headingOf(snippet);
  return {
    name: heading ?? file,
    place: texts.search.placeOf(heading ? path : path.slice(0, -file.length), startLine, endLine),
  };
}

/** The words of a hit in at most three lines, and the rest on request. */
function Snippet({ hit, query }: { hit: SearchHit; query: string }) {
  const [open, setOpen] = useState(false);
  const raw = withoutSource(hit.snippet);
  const heading = hit.source === "memory" ? headingOf(raw) : undefined;
  const plain = plainText(raw);
  const text = heading && plain.startsWith(heading) ? plain.slice(heading.length).trim() || plain : plain;
  const isLong = text.length > 240 || text.split("\n").length > 3;
  return (
    <div>
      <p
        dir="auto"
        className={`text-base leading-[1.375rem] whitespace-pre-line [overflow-wrap:anywhere] ${isLong && !open ? "line-clamp-3" : ""}`}
      >
        <Marked text={text} query={query} />
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="text-xs text-fg-2 underline underline-offset-2 hover:text-fg"
        >
          {open ? texts.search.less : texts.search.more}
        </button>
      )}
    </div>
  );
}

/** Saves the question with this hit as its right answer, for the evaluations. */
function MarkCorrect({ hit, agent, query }: { hit: SearchHit; agent: string; query: string }) {
  const { questions, add } = useQuestions(agent);
  const saved = questions.some(
    ({ text, expected }) => text === query && expected.some(({ path }) => path === hit.path),
  );
  const save = async () => {
    try {
      await add(query, hit.path);
    } catch (error) {
      toast(messageOf(error), { failed: true });
    }
  };
  return (
    <Button kind="ghost" size="small" onClick={() => void save()} disabled={saved} title={texts.search.rightHint}>
      <Check className="size-3.5" />
      {saved ? texts.search.isRight : texts.search.right}
    </Button>
  );
}

function Explained({ explain }: { explain: HitExplanation }) {
  const { keyword, vector, textScore = 0, vectorScore = 0, evidence, decay, importance, named, rerankScore } = explain;
  return (
    <div className="flex flex-col gap-1.5 rounded-md bg-sunken p-3">
      <Meter
        label={texts.labels.keyword}
        value={textScore}
        text={keyword ? texts.sentences.keywordRank(keyword.rank, score(keyword.score)) : texts.search.notFound}
      />
      <Meter
        label={texts.labels.vector}
        value={vectorScore}
        text={vector ? texts.sentences.vectorRank(vector.rank, score(vector.score)) : texts.search.notFound}
      />
      <Meter label={texts.labels.decay} value={decay} text={score2(decay)} />
      {importance !== undefined && (
        <Meter label={texts.labels.importance} value={importance} text={score2(importance)} />
      )}
      <p className="text-sm text-fg-2">
        {texts.search.evidence(evidence >= 100 ? count(Math.round(evidence)) : evidence.toFixed(1))}
        {named && texts.search.named}
        {rerankScore !== undefined && texts.sentences.reranked(score(rerankScore))}
      </p>
    </div>
  );
}

/** Splits a score into the part that comes from words and the part that comes from meaning. */
function partsOf(whole: number, { textScore = 0, vectorScore = 0 }: HitExplanation) {
  const sum = textScore + vectorScore;
  const share = (part: number) => (sum === 0 ? 0 : (whole * part) / sum);
  return [
    { name: "words", share: share(textScore), tone: "file" as const },
    { name: "meaning", share: share(vectorScore), tone: "fact" as const },
  ];
}

function placesOf({ keyword, vector }: HitExplanation): string {
  return [keyword && texts.search.byWords(keyword.rank), vector && texts.search.byMeaning(vector.rank)]
    .filter(Boolean)
    .join(" · ");
}
