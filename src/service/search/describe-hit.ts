import type { CandidateRow } from "../../db/agent/candidates/candidate-details.ts";
import type { ChunkHit } from "../../db/agent/chunks/chunks.ts";
import { includesFacts, SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import type { OriginClass } from "../../db/agent/sessions/messages.ts";
import type { LeftOut } from "../../relevance/ranking/rank.ts";
import type { Sought } from "../../relevance/snippets/answering-snippet.ts";
import { pagesOf } from "../../relevance/snippets/pages.ts";
import { citation, MAX_SNIPPET_CHARS } from "../../relevance/snippets/snippet.ts";
import { wholeSessionKey } from "../../settings/memory-path.ts";
import { sharedPrefix } from "../../settings/shared-paths.ts";
import { wasSaidAgain } from "../facts/present-fact.ts";
import { type AskedDays, excerptOf, isCutByTime, type SaidTimes } from "./hit-excerpt.ts";
import { type SearchedMemory, sharerOf } from "./join-memories.ts";
import { type RankedSearch, type RankRequest, type ShownHit, sessionOfMessages } from "./rank-candidates.ts";
import type { ArmResults } from "./search-arms.ts";
import type { ArmPlace, HitExplanation, SearchDebug, SearchHit } from "./search-schemas.ts";

/**
 * The most characters of a source line in a snippet. A longer line would leave little room for the
 * text and is left out; `citation` still has it.
 */
const MAX_SOURCE_LINE = 300;

interface Shown {
  agentId: string;
  /** The words that the question looks for. */
  sought: Sought;
  /** The days that the search names. */
  asked: AskedDays;
  /** Whether the whole text of the hit is shown. */
  includeText: boolean;
  cites: boolean;
  /** Whether the user of a fact's scope is shown. */
  showsUser: boolean;
  /** The most characters of a snippet. */
  snippetChars?: number;
}

/** Returns a hit in the form that the tool's caller gets. */
export function describeHit(
  { hit, chunk, newer }: ShownHit,
  { agentId, sought, asked, includeText, cites: cited, showsUser, snippetChars = MAX_SNIPPET_CHARS }: Shown,
): SearchHit {
  const { path, startLine } = hit;
  const { endLine, session } = stoodBy(asked, hit, chunk);
  const pages = pagesOf(chunk.pages, startLine, endLine);
  const place = citation(path, startLine, endLine, pages);
  const sourceLine = cited ? `\n\nSource: ${place}` : "";
  const fits = sourceLine.length <= MAX_SOURCE_LINE;
  const room = Math.min(snippetChars, MAX_SNIPPET_CHARS - (fits ? sourceLine.length : 0));
  const excerpt = excerptOf({ sought, asked }, hit, chunk, room);
  const said = includeText ? excerpt.all : excerpt.said;
  return {
    path,
    startLine,
    endLine,
    ...pages,
    score: hit.score,
    ...(hit.vectorScore === undefined ? {} : { vectorScore: hit.vectorScore }),
    ...(hit.textScore === undefined ? {} : { textScore: hit.textScore }),
    snippet: excerpt.text + (fits ? sourceLine : ""),
    ...(includeText ? { text: stoodText({ sought, asked }, hit, chunk) } : {}),
    source: sourceName(chunk.source),
    ...(chunk.sharedBy === undefined ? {} : { sharedBy: chunk.sharedBy }),
    date: dateOf({ ...chunk, session }, said),
    ...(cited ? { citation: place } : {}),
    ...(session ? { session: describeSession(chunk.sharedBy ?? agentId, session, said) } : {}),
    ...(chunk.fact ? { fact: describeFact(chunk.fact, chunk.sharedBy, showsUser) } : {}),
    ...(newer ? { olderThan: citation(newer.path, newer.startLine, newer.endLine) } : {}),
  };
}

/** A question, and the days and the time that its search names. */
interface Asked {
  sought: Sought;
  asked: AskedDays;
}

/** Returns the whole text of a hit; in a search as of a time, without the messages that were said later. */
function stoodText(found: Asked, hit: ShownHit["hit"], chunk: ChunkHit): string {
  return isCutByTime(found.asked, chunk.session) ? excerptOf(found, hit, chunk, hit.text.length).text : hit.text;
}

/**
 * Returns whether what a hit shows may answer. In a search as of a time, only messages that were said later may
 * have the words of the question.
 */
export function mayAnswer(found: Asked, { hit, chunk }: ShownHit): boolean {
  if (!isCutByTime(found.asked, chunk.session)) return true;
  const text = stoodText(found, hit, chunk);
  const { find } = found.sought;
  return text !== "" && (find(hit.text).size === 0 || find(text).size > 0);
}

/** Returns the last line and the session of a hit, as of a time without the messages that were said later. */
function stoodBy(
  asked: AskedDays,
  { endLine }: ShownHit["hit"],
  { session, around = [] }: ChunkHit,
): { endLine: number; session: ChunkHit["session"] } {
  const { standing } = asked.filter;
  if (!standing || !session || !isCutByTime(asked, session)) return { endLine, session };
  const { firstMessage, lastMessage, key } = session;
  const said = around.filter(({ seq, at }) => seq >= firstMessage && seq <= lastMessage && at <= standing);
  const last = said.at(-1);
  if (!last) return { endLine, session };
  return { endLine: Math.min(endLine, last.firstLine + last.lineCount - 1), session: sessionOfMessages(key, said) };
}

/**
 * Returns when a hit was said or written: the day that a file is about, or else the time of its last
 * change; the time of the last message that is shown; the time since which a fact holds.
 */
export function dateOf({ fact, session, day, changedAt }: ChunkHit, said: SaidTimes | undefined): string {
  if (day) return day;
  return (fact?.validFrom ?? said?.to ?? session?.to ?? changedAt ?? new Date(0)).toISOString();
}

export function sourceName(source: number): SearchHit["source"] {
  if (includesFacts([source])) return "facts";
  return source === SOURCE_NUMBER.sessions ? "sessions" : "memory";
}

function describeFact(
  fact: NonNullable<ChunkHit["fact"]>,
  sharedBy: string | undefined,
  showsUser: boolean,
): NonNullable<SearchHit["fact"]> {
  const { id, user, subject, category, validFrom, confirmedAt, replaced, author } = fact;
  return {
    // A bare number would name one of the reader's own facts, which the reader may change or
    // forget.
    id: sharedBy === undefined ? id : sharedPrefix(sharedBy) + id,
    ...(showsUser && user !== "" ? { user } : {}),
    ...(subject === null ? {} : { subject }),
    category,
    since: validFrom.toISOString(),
    ...(wasSaidAgain(fact) ? { confirmed: confirmedAt.toISOString() } : {}),
    ...(replaced === null ? {} : { replaced }),
    // The owner of another agent's memory is not the reader's.
    ...(author === null || sharedBy !== undefined ? {} : leastTrustedOf([author])),
  };
}

function describeSession(
  agentId: string,
  session: NonNullable<ChunkHit["session"]>,
  said: SaidTimes | undefined,
): NonNullable<SearchHit["session"]> {
  return {
    key: wholeSessionKey(agentId, session.key),
    messages: { from: session.firstMessage, to: session.lastMessage },
    roles: session.roles,
    ...leastTrustedOf(session.authors),
    from: (said ?? session).from.toISOString(),
    to: (said ?? session).to.toISOString(),
    ...(said ? { days: [...said.days] } : {}),
  };
}

/** The classes that messages without a class get by their role. A user's message gets none. */
const CLASS_OF_ROLE: Readonly<Record<string, OriginClass>> = { tool: "untrusted", assistant: "agent" };
const LEAST_TRUSTED: readonly OriginClass[] = ["untrusted", "system", "agent", "owner"];

/**
 * Returns the class of a hit: the least trusted class of its messages. The output of a tool comes
 * from outside. Only the sender of a message knows its user, so a hit may have no class.
 */
function leastTrustedOf(authors: readonly string[]): { originClass?: OriginClass } {
  const classes = new Set(authors.map((author) => CLASS_OF_ROLE[author] ?? author));
  const [least] = LEAST_TRUSTED.filter((one) => classes.has(one));
  return least === undefined || (least !== "untrusted" && classes.has("user")) ? {} : { originClass: least };
}

/** Explains one hit. */
export function explainHit(
  { hit, chunk }: ShownHit,
  memories: readonly SearchedMemory[],
  { ranking }: RankedSearch,
): HitExplanation {
  const memory = memories.find(({ request }) => sharerOf(request) === chunk.sharedBy);
  const id = chunk.sharedBy === undefined ? hit.chunkId : hit.chunkId.slice(sharedPrefix(chunk.sharedBy).length);
  const keyword = placeOf(memory?.arms.keyword ?? [], id, (one) => one.score);
  const vector = placeOf(memory?.arms.similar ?? [], id, (one) => one.similarity);
  return {
    ...(keyword ? { keyword } : {}),
    ...(vector ? { vector } : {}),
    ...(hit.textScore === undefined ? {} : { textScore: hit.textScore }),
    ...(hit.vectorScore === undefined ? {} : { vectorScore: hit.vectorScore }),
    evidence: hit.evidence,
    fusedScore: hit.fusedScore,
    decay: hit.decay,
    ...(hit.importance === undefined ? {} : { importance: hit.importance }),
    named: hit.named,
    ...(hit.nearest ? { nearest: hit.nearest } : {}),
    ...(hit.rerankScore === undefined ? {} : { rerankScore: hit.rerankScore }),
    rankedAt: ranking.ranked.findIndex((one) => one.chunkId === hit.chunkId) + 1,
    joined: hit.startLine !== chunk.startLine || hit.endLine !== chunk.endLine,
  };
}

/** Explains the search as a whole. */
export function explainSearch(request: RankRequest, arms: ArmResults, { details, ranking }: RankedSearch): SearchDebug {
  const { fusion, vectorWeight, textWeight } = request.agent.settings.query.hybrid;
  const entries = (list: readonly { chunkId: string; score: number }[]) =>
    list.flatMap(({ chunkId, score }) => {
      const known = details.get(chunkId);
      return known ? [{ ...lines(known), score }] : [];
    });
  return {
    fusion: {
      mode: request.mode,
      rule: fusion,
      vectorWeight,
      textWeight,
      ...(ranking.background ? { background: ranking.background } : {}),
    },
    minScore: request.minScore,
    limit: request.limit,
    arms: {
      keyword: entries(arms.keyword),
      vector: entries(arms.similar.map(({ chunkId, similarity }) => ({ chunkId, score: similarity }))),
    },
    leftOut: [...ranking.leftOut].flatMap(([chunkId, left]): SearchDebug["leftOut"][number][] => {
      const known = details.get(chunkId);
      return known ? [{ ...lines(known), ...withPlace(left, details) }] : [];
    }),
  };
}

/** Replaces a chunk's id, which means nothing to a caller, by its path and lines. */
export function withPlace(left: LeftOut, details: ReadonlyMap<string, CandidateRow>): LeftOut {
  if (left.stage !== "duplicate") return left;
  const known = details.get(left.of);
  return { ...left, of: known ? citation(known.path, known.startLine, known.endLine) : "" };
}

function lines({ path, startLine, endLine }: CandidateRow) {
  return { path, startLine, endLine };
}

export function placeOf<T extends { chunkId: string }>(
  list: readonly T[],
  chunkId: string,
  score: (one: T) => number,
): ArmPlace | undefined {
  const index = list.findIndex((one) => one.chunkId === chunkId);
  const found = list[index];
  return found && { rank: index + 1, score: score(found) };
}
