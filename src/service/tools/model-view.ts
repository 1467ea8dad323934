import { estimateTokens } from "../../ingest/estimate-tokens.ts";
import { answeringSnippet } from "../../relevance/snippets/answering-snippet.ts";
import { createWordFinder, soughtWords } from "../../relevance/words/sought-words.ts";

/**
 * The most estimated tokens of a passage. Six such passages with their places stay under 1,800
 * tokens. A snippet of 700 characters takes 175 tokens in English and would take 700 in Chinese.
 */
const MAX_SNIPPET_TOKENS = 200;
/** The most characters of a replaced fact. A reminder is enough; memory_get reads the rest. */
const MAX_REPLACED_CHARS = 160;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a tool's answer in the form for a model: nothing is repeated, and numbers and times are
 * only as precise as useful. `citation` and the snippet's source line repeat the path and its lines,
 * so they are left out unless the agent's setting for citations is `on`. The scores of the arms, the provider and similar fields are for
 * people and programs, who get them from the HTTP route.
 *
 * @param query the question, if any; a snippet that is too long keeps the part that is relevant to
 *   it
 */
export function modelView(output: object, query = ""): Record<string, unknown> {
  const { provider: _provider, model: _model, citations, debug: _debug, ...rest } = output as Fields;
  const asked = { query, cites: citations === "on" };
  const view = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((one) => viewOf(one, asked)) : value,
    ]),
  );
  const advice = query === "" ? undefined : nothingFound(rest);
  if (advice !== undefined) return { ...view, note: [view.note, advice].filter(Boolean).join(" ") };
  const { certain, note, ...hits } = view;
  // A model reads first that the hits are only the nearest.
  return certain === false ? { certain, note, ...hits } : view;
}

/** Returns a hint when no fact was found. `memory_search` and `memory_forget` have their own hints. */
function nothingFound({ facts, results, disabled, forgotten }: Fields): string | undefined {
  if (disabled || results !== undefined || forgotten !== undefined || !Array.isArray(facts) || facts.length > 0)
    return undefined;
  return "No fact was found; try other words, or memory_search, which searches conversations and files too.";
}

/** The question of an answer, and whether the model is to cite. */
interface Asked {
  query: string;
  cites: boolean;
}

function viewOf(value: unknown, asked: Asked): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Fields;
  if (typeof fields.path === "string" && typeof fields.startLine === "number") return viewOfPassage(fields, asked);
  if (typeof fields.text === "string" && typeof fields.category === "string") return viewOfFact(fields);
  return value;
}

/** Returns the view of a hit of `memory_search` or of a recalled passage. */
function viewOfPassage(fields: Fields, { query, cites }: Asked): Fields {
  const {
    citation,
    vectorScore: _v,
    textScore: _t,
    explain: _e,
    snippet,
    text,
    fact,
    session,
    score,
    date,
    days: _days,
    ...rest
  } = fields;
  // For facts and conversations, `since`, `said` and `at` tell the time.
  const isTold = fact !== undefined || session !== undefined || rest.at !== undefined || typeof date !== "string";
  const isCited = cites && typeof citation === "string";
  const source = isCited ? sourceLine(citation) : "";
  const shown =
    typeof snippet === "string" ? { snippet: shorten(withoutSourceLine(snippet, citation), query) + source } : {};
  return {
    ...rest,
    ...(typeof score === "number" ? { score: twoDigits(score) } : {}),
    ...(isTold ? {} : { date: day(date) }),
    ...when(fact as Fields | undefined, session as Fields | undefined),
    ...(isCited ? { citation } : {}),
    // The whole text contains the snippet.
    ...(typeof text === "string" ? { text } : shown),
  };
}

function when(fact: Fields | undefined, session: Fields | undefined): Fields {
  if (fact) {
    const { user, subject, category, since, confirmed, replaced } = fact;
    const before = typeof replaced === "string" ? { replaced: cut(replaced, MAX_REPLACED_CHARS) } : {};
    return {
      ...(user === undefined ? {} : { user }),
      ...(subject === undefined ? {} : { subject }),
      category,
      since: day(since),
      ...(confirmed === undefined ? {} : { confirmed: day(confirmed) }),
      ...before,
    };
  }
  if (!session) return {};
  const [from, to] = [minute(session.from), minute(session.to)];
  return { said: from === to ? from : `${from}/${to}` };
}

/**
 * Returns the view of a fact of `memory_recall` or `memory_forget`; the fact's path is
 * `facts/<id>`.
 */
function viewOfFact(fields: Fields): Fields {
  const { id, text, subject, score, category, key, scope, tags, validFrom, createdAt, confirmedAt, expiresAt } = fields;
  const confirmed = day(confirmedAt);
  return {
    id,
    text,
    ...(subject === undefined ? {} : { subject }),
    category,
    since: day(validFrom),
    // The two times are equal for a fact that was stated once, even if it began to hold before the
    // day on which it was stored.
    ...(confirmedAt === createdAt || confirmed === day(validFrom) ? {} : { confirmed }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(key === undefined ? {} : { key }),
    ...(hasAny(scope) ? { scope } : {}),
    ...(hasAny(tags) ? { tags } : {}),
    ...(typeof score === "number" ? { score: twoDigits(score) } : {}),
  };
}

/**
 * Cuts a text to the token limit, around the part that is relevant to the question. Of the messages of
 * each day a part is kept, so that each message stands below its own day.
 */
function shorten(text: string, query: string): string {
  const tokens = estimateTokens(text);
  if (tokens <= MAX_SNIPPET_TOKENS) return text;
  const words = soughtWords(query);
  const sought = { words, find: createWordFinder(words) };
  const part = (one: string) =>
    answeringSnippet({ text: one, found: one }, sought, Math.floor((one.length * MAX_SNIPPET_TOKENS) / tokens));
  return text
    .split(DAY_LINE)
    .map((one) => (DAY_LINE.test(one) ? one : part(one.replace(/^\n|\s+$/g, ""))))
    .filter((one) => one !== "")
    .join("\n");
}

/** Matches the line before the messages of a day. */
const DAY_LINE = /^(\[\d{4}-\d\d-\d\d\])\n?$/m;

function sourceLine(citation: unknown): string {
  return `\n\nSource: ${String(citation)}`;
}

function withoutSourceLine(snippet: string, citation: unknown): string {
  const line = sourceLine(citation);
  return snippet.endsWith(line) ? snippet.slice(0, -line.length) : snippet;
}

function cut(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text
        .slice(0, limit)
        .replace(/\s+\S*$/u, "")
        .toWellFormed()}…`;
}

/** Returns whether an object or a list has any entry. */
function hasAny(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function twoDigits(score: number): number {
  return Math.round(score * 100) / 100;
}

function day(instant: unknown): string {
  return String(instant).slice(0, 10);
}

/** Formats an instant as `2026-05-18T10:02Z`. */
function minute(instant: unknown): string {
  return `${String(instant).slice(0, 16)}Z`;
}
