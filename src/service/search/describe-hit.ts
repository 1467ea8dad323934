import { wholeSessionKey } from "../../agents/session-key.ts";
import type { ChunkHit } from "../../db/agent/chunks/chunks.ts";
import { includesFacts, SOURCE_NUMBER } from "../../db/agent/space/source-number.ts";
import type { Refined } from "../../search/ranking/refine.ts";
import { citation } from "../../search/snippets/citation.ts";
import { focusedSnippet } from "../../search/snippets/focused-snippet.ts";
import { pickedSnippet } from "../../search/snippets/picked-snippet.ts";
import { MAX_SNIPPET_CHARS } from "../../search/snippets/snippet.ts";
import type { QuestionWord } from "../../search/words/question-words.ts";
import type { RankRequest, ShownHit } from "./rank-hits.ts";
import type { FactOfHit, SearchHit, SessionOfHit } from "./search-types.ts";

/** Beside a longer source line little would be left of the snippet; then the line is left to `citation`. */
const MAX_SOURCE_LINE = 300;

/** A hit as the tool's caller gets it; `words` are those of the question, `text` is the whole of it, on request. */
export function describeHit(
  { agent }: RankRequest,
  { hit, chunk }: ShownHit,
  { words, includeText }: { words: readonly QuestionWord[]; includeText: boolean },
): SearchHit {
  const { path, startLine, endLine, text } = hit;
  const cited = agent.settings.citations !== "off";
  const place = citation(path, startLine, endLine);
  const sourceLine = cited ? `\n\nSource: ${place}` : "";
  const fits = sourceLine.length <= MAX_SOURCE_LINE;
  const room = MAX_SNIPPET_CHARS - (fits ? sourceLine.length : 0);
  return {
    ...{ path, startLine, endLine, score: hit.score },
    ...(hit.vectorScore === undefined ? {} : { vectorScore: hit.vectorScore }),
    ...(hit.textScore === undefined ? {} : { textScore: hit.textScore }),
    snippet: showSnippet(words, hit, chunk.text, room) + (fits ? sourceLine : ""),
    ...(includeText ? { text } : {}),
    source: sourceName(chunk.source),
    ...(cited ? { citation: place } : {}),
    ...(chunk.session ? { session: describeSession(agent.agentId, chunk.session) } : {}),
    ...(chunk.fact ? { fact: describeFact(chunk.fact) } : {}),
  };
}

/** The part of a hit that shows what was found, in at most so many characters: of a conversation, the messages that bear on it. */
export function showSnippet(
  words: readonly QuestionWord[],
  { text, parts }: Pick<Refined, "text" | "parts">,
  found: string,
  limit: number,
): string {
  return parts && text.length > limit
    ? pickedSnippet(parts, words, limit)
    : focusedSnippet(
        text,
        found,
        words.map(({ word }) => word),
        limit,
      );
}

export function sourceName(source: number): SearchHit["source"] {
  if (includesFacts([source])) return "facts";
  return source === SOURCE_NUMBER.sessions ? "sessions" : "memory";
}

function describeFact({ id, category, validFrom, confirmedAt, replaced }: NonNullable<ChunkHit["fact"]>): FactOfHit {
  return {
    ...{ id, category, since: validFrom.toISOString() },
    ...(confirmedAt > validFrom ? { confirmed: confirmedAt.toISOString() } : {}),
    ...(replaced === null ? {} : { replaced }),
  };
}

function describeSession(agentId: string, session: NonNullable<ChunkHit["session"]>): SessionOfHit {
  return {
    key: wholeSessionKey(agentId, session.key),
    messages: { from: session.firstMessage, to: session.lastMessage },
    roles: session.roles,
    from: session.from.toISOString(),
    to: session.to.toISOString(),
  };
}
