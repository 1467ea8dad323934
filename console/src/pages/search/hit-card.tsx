import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { HitExplanation, SearchHit } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayRead } from "../../lib/connection.ts";
import { moment, score } from "../../lib/format.ts";
import { savedQuestions, saveQuestions } from "../../lib/saved-questions.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Bar } from "../../ui/bar.tsx";
import { Marked } from "../../ui/marked.tsx";

/** Shows one hit: its place, its text, and the contribution of each part of the ranking. */
export function HitCard({ hit, agent, query }: { hit: SearchHit; agent: string; query: string }) {
  const [saved, setSaved] = useState(() =>
    savedQuestions(agent).some(({ question, path }) => question === query && path === hit.path),
  );
  const save = () => {
    const others = savedQuestions(agent).filter(({ question }) => question !== query);
    saveQuestions(agent, [...others, { question: query, path: hit.path, savedAt: new Date().toISOString() }]);
    setSaved(true);
    dispatchEvent(new Event("recollect-questions"));
  };
  return (
    <article className="card hit">
      <header>
        <Place hit={hit} agent={agent} />
        <span className="tag">{texts.search.sources[hit.source]}</span>
        {hit.sharedBy && <span className="tag">{sentences.sharedBy(hit.sharedBy)}</span>}
        <strong title={texts.labels.score}>{score(hit.score)}</strong>
      </header>
      <p className="snippet" dir="auto">
        <Marked text={withoutSource(hit.snippet)} query={query} />
      </p>
      {hit.fact && <p className="quiet">{sentences.factSince(hit.fact.category, moment(hit.fact.since))}</p>}
      {hit.explain && <Explained explain={hit.explain} />}
      <button type="button" className="small" onClick={save} disabled={saved} title={texts.search.rightHint}>
        {saved ? texts.search.isRight : texts.search.right}
      </button>
    </article>
  );
}

/**
 * Removes the source line from a snippet, because the head of the card already names the source.
 */
const withoutSource = (snippet: string) => snippet.replace(/\n\nSource: \S.*$/, "");

/** Shows the place of a hit, as a link if the key may read the memory that the hit is from. */
function Place({ hit, agent }: { hit: SearchHit; agent: string }) {
  const { key } = useConnection();
  const owner = hit.sharedBy ?? agent;
  const { to, search, name } = placeOf(hit);
  if (!mayRead(key, owner)) return <span>{name}</span>;
  return (
    <Link to={to} params={{ agent: owner }} search={search as never}>
      {name}
    </Link>
  );
}

function placeOf({ path, startLine, endLine, source, session, sharedBy }: SearchHit) {
  // The reader sees the path behind `@` and the sharer's name. In the sharer's own memory, the path
  // has no such prefix.
  const own = sharedBy === undefined ? path : path.slice(`@${sharedBy}/`.length);
  if (source === "facts")
    return { to: "/agents/$agent/facts", search: { id: own.split("/").at(-1) ?? "" }, name: path } as const;
  if (source === "sessions" && session) {
    const { from, to: last } = session.messages;
    const name = sentences.messages(session.key, from, last);
    return { to: "/agents/$agent/sessions", search: { session: session.key, after: String(from - 1) }, name } as const;
  }
  const name = sentences.lines(path, startLine, endLine);
  return { to: "/agents/$agent/files", search: { path: own, line: String(startLine) }, name } as const;
}

function Explained({ explain }: { explain: HitExplanation }) {
  const { keyword, vector, textScore = 0, vectorScore = 0, evidence, decay, importance, named, rankedAt } = explain;
  return (
    <details>
      <summary>{texts.labels.explain}</summary>
      <Bar
        label={texts.labels.vector}
        value={vectorScore}
        text={vector ? sentences.vectorRank(vector.rank, score(vector.score)) : texts.search.notFound}
      />
      <Bar
        label={texts.labels.keyword}
        value={textScore}
        text={keyword ? sentences.keywordRank(keyword.rank, score(keyword.score)) : texts.search.notFound}
      />
      <Bar label={texts.labels.decay} value={decay} text={score(decay)} />
      {importance !== undefined && <Bar label={texts.labels.importance} value={importance} text={score(importance)} />}
      <p className="quiet">
        {sentences.evidence(score(evidence), rankedAt)}
        {named && texts.search.named}
        {explain.rerankScore !== undefined && sentences.reranked(score(explain.rerankScore))}
      </p>
    </details>
  );
}
