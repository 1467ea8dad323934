import { addDays, type CivilDay, dayIn } from "../../base/civil-day.ts";
import { fold } from "../../base/fold.ts";
import type { ChunkHit } from "../../db/agent/chunks/chunks.ts";
import { tableHeaderOf } from "../../ingest/heading-path.ts";
import type { Refined } from "../../relevance/ranking/refine.ts";
import { answeringExcerpt, type HitPart, type Sought } from "../../relevance/snippets/answering-snippet.ts";
import { isOfPeriod } from "../../relevance/words/periods.ts";
import type { SearchPlan } from "./search-arms.ts";

/** The parts of a search that say which days are wanted. */
export type AskedDays = Pick<SearchPlan, "zone" | "filter" | "periods" | "periodNames" | "isListing">;

/** The times of messages. */
export interface SaidTimes {
  readonly from: Date;
  readonly to: Date;
  /** Their days in the time zone of the search, in ascending order. */
  readonly days: readonly CivilDay[];
}

/** The relevant part of a hit. */
export interface HitExcerpt {
  readonly text: string;
  /** For a conversation, the times of the messages that are shown. */
  readonly said?: SaidTimes;
  /** For a conversation, the times of all messages of the hit. */
  readonly all?: SaidTimes;
}

/**
 * Returns the relevant part of a hit, in at most `limit` characters: the messages, lines and
 * sentences that bear on the question. If the search names days, by a filter or in the question, the
 * part of a conversation is made of the messages of these days, as far as the hit has any.
 */
export function excerptOf(
  { sought, asked }: { sought: Sought; asked: AskedDays },
  hit: Pick<Refined, "text" | "parts" | "startLine">,
  chunk: ChunkHit,
  limit: number,
): HitExcerpt {
  // The heading belongs to the beginning of the chunk. A joined hit may begin before it.
  const header = hit.startLine === chunk.startLine ? tableHeaderOf(chunk.heading) : undefined;
  const plain = { text: hit.text, found: chunk.text, header };
  const { session } = chunk;
  if (!session) return { text: answeringExcerpt(plain, sought, limit).text };
  const dated = datedParts(hit, chunk, asked.zone);
  const parts = dated && withMeant(dated, asked, sought);
  // A message that cannot be told from later ones is not shown.
  if (!parts && isCutByTime(asked, session)) return { text: "" };
  // Messages of one day that the search found without the messages around them are shown as one text.
  const isOneText = hit.parts === undefined && new Set(parts?.map(({ day, isMeant }) => `${day} ${isMeant}`)).size <= 1;
  const { onlyMeant } = meantBy(asked);
  const found = isOneText ? plain : { ...plain, parts, onlyMeant };
  const { text, shown } = answeringExcerpt(found, sought, limit);
  const times = (some: readonly HitPart[] = []) => timesOf(some, asked.zone) ?? timesOf(endsOf(session), asked.zone);
  const all = times(parts);
  const said = isOneText ? all : times(shown.flatMap((index) => parts?.[index] ?? []));
  return { text, ...(said ? { said } : {}), ...(all ? { all } : {}) };
}

/** Returns whether a search is as of a time after which messages of a conversation's hit were said. */
export function isCutByTime(
  { filter: { standing } }: Pick<AskedDays, "filter">,
  session: ChunkHit["session"],
): boolean {
  return standing !== undefined && session != null && session.to > standing;
}

function endsOf({ from, to }: { from: Date; to: Date }): { at: Date }[] {
  return [{ at: from }, { at: to }];
}

function timesOf(messages: readonly { at?: Date | undefined }[], zone: string): SaidTimes | undefined {
  const times = messages.flatMap(({ at }) => at ?? []).sort((a, b) => a.getTime() - b.getTime());
  const [from, to] = [times[0], times.at(-1)];
  return from && to && { from, to, days: [...new Set(times.map((at) => dayIn(zone, at)))] };
}

/**
 * Returns the messages of a hit with their days; undefined if it cannot be told which message a part
 * of the text belongs to.
 */
function datedParts(hit: Pick<Refined, "text" | "parts">, chunk: ChunkHit, zone: string): HitPart[] | undefined {
  const parts = hit.parts ?? foundParts(hit.text, chunk);
  return parts?.map((part) => ({ ...part, day: part.at && dayIn(zone, part.at) }));
}

/**
 * Divides the text of a chunk into its messages. A message that is too long to be read with the chunk
 * is what remains between the others.
 */
function foundParts(text: string, { around = [], longAt = [], session }: ChunkHit): HitPart[] | undefined {
  if (!session) return undefined;
  const inside = around.filter(
    ({ seq, isHidden }) => !isHidden && seq >= session.firstMessage && seq <= session.lastMessage,
  );
  const partOf = ({ text: said, at }: { text: string; at: Date }): HitPart => ({ text: said, weight: 1, at });
  let rest = `${text}\n`;
  const before = inside.findIndex((one) => {
    const isNext = rest.startsWith(`${one.text}\n`);
    if (isNext) rest = rest.slice(one.text.length + 1);
    return !isNext;
  });
  if (rest === "") return inside.slice(0, before === -1 ? undefined : before).map(partOf);
  const others = before === -1 ? [] : inside.slice(before);
  const isLast = others.every((_, index) => {
    const said = `\n${others[others.length - 1 - index]?.text}\n`;
    const ends = rest.endsWith(said);
    if (ends) rest = rest.slice(0, 1 - said.length);
    return ends;
  });
  const [at, another] = longAt;
  if (!isLast || !at || another) return undefined;
  return [
    ...inside.slice(0, inside.length - others.length).map(partOf),
    partOf({ text: rest.slice(0, -1), at }),
    ...others.map(partOf),
  ];
}

/**
 * Returns the time of the first message of a conversation's hit that is of the days that a search names;
 * undefined if the times of its messages are not known.
 */
export function firstMeantAt(
  hit: Pick<Refined, "text" | "parts">,
  chunk: ChunkHit,
  asked: AskedDays,
): Date | undefined {
  const dated = chunk.session ? datedParts(hit, chunk, asked.zone) : undefined;
  const meant = withMeant(dated ?? [], asked).filter(({ isMeant = true }) => isMeant);
  return timesOf(meant, asked.zone)?.from;
}

/**
 * Returns the messages with the answer to the question whether the search wants their days. If the days
 * are only written in the messages, what is said about them may stand in another one: the messages with
 * other words of the question are wanted too.
 */
function withMeant(parts: readonly HitPart[], asked: AskedDays, sought?: Sought): readonly HitPart[] {
  const { isDated, passes, isOf, isNamed } = meantBy(asked);
  if (!isDated) return parts;
  const passing = parts.map(passes);
  const named = parts.map((part, index) => passing[index] && isNamed(part));
  const isSaidThen = parts.some((part, index) => passing[index] && isOf(part));
  const others = !isSaidThen && sought ? otherWordsIn(sought, asked.periodNames) : () => false;
  const wanted = parts.map((part, index) => named[index] || (passing[index] && others(part.text)));
  const meant = named.includes(true) ? wanted : passing;
  return parts.map((part, index) => ({ ...part, isMeant: meant[index] ?? false }));
}

/** Returns a function that tells whether a text has words of the question beside those of its days. */
function otherWordsIn({ find }: Sought, periodNames: readonly string[] = []): (text: string) => boolean {
  const inNames = find(periodNames.join(" "));
  return (text) => [...find(text)].some((word) => !inNames.has(word));
}

/** Returns which messages a search wants by their days. */
function meantBy({ filter: { days, standing }, periods = [], periodNames = [], isListing = false }: AskedDays) {
  const isPassing = (at: Date) =>
    (days ?? [{}]).some(({ fromAt, toAt }) => (!fromAt || at >= fromAt) && (!toAt || at < toAt)) &&
    (!standing || at <= standing);
  const isOf = ({ day }: HitPart) =>
    day !== undefined && periods.some((period) => isOfPeriod({ from: day, to: addDays(day, 1) }, period));
  return {
    isDated: days !== undefined || standing !== undefined || periods.length > 0,
    /** Whether other messages are never shown: a filter excludes them, or nothing but days is asked for. */
    onlyMeant: days !== undefined || standing !== undefined || isListing,
    passes: ({ at }: HitPart) => at === undefined || isPassing(at),
    /** A message may also name the days: "we ship on Thursday" may have been said on Monday. */
    isNamed: (part: HitPart) => periods.length === 0 || isOf(part) || (!isListing && namesDays(part.text, periodNames)),
    isOf,
  };
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;
/** Scripts that are written without spaces: a name in them has no border. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Script=Thai}]/u;

/** Returns whether a text has the words by which a question names its days. */
export function namesDays(text: string, names: readonly string[]): boolean {
  if (names.length === 0) return false;
  const folded = fold(text);
  return names.some((name) => {
    for (let at = folded.indexOf(name); at >= 0; at = folded.indexOf(name, at + 1)) {
      const [before, after] = [folded.charAt(at - 1), folded.charAt(at + name.length)];
      if (UNSPACED.test(name) || !(LETTER.test(before) || LETTER.test(after))) return true;
    }
    return false;
  });
}
