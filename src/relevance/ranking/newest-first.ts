import { analyzeDocument, lettersIn } from "../words/analyze.ts";
import { isFunctionWord } from "../words/function-words.ts";
import { isCommonWord } from "../words/question-words.ts";
import { messagesIn, sentencesIn, wordsBetweenSpaces } from "../words/statements.ts";
import { mayContradict, saysAnotherValue } from "./another-value.ts";
import type { DatedHit } from "./dated-hit.ts";
import { type AboutPerson, aboutPerson, areOfDifferentPeople, isOnlyOfOthers, RELATIONS } from "./person-of.ts";
import { asSaidBySelf } from "./said-by-self.ts";

/** A term of the question with the sum that it adds to BM25 in this index. */
export interface AskedTerm {
  /** The lexeme: a stem, or a name that is not stemmed. */
  readonly lexeme: string;
  /** The concept of which the term is a spelling. */
  readonly concept: number;
  readonly idf: number;
}

/** Words that ask about the past. */
const PAST =
  /(?<![\p{L}\p{N}])(?:was|were|did|had|used to|before|previous(?:ly)?|earlier|former(?:ly)?|original(?:ly)?|initial(?:ly)?|at first|first|back then|ago|(?<!\bhow )old|ever|history|past|so far|happened|war|waren|wurden?|hatten?|früher|vorher|damals|zuerst|ursprünglich|bisher|était|étaient|avait|avant|auparavant|jadis|era|eran|estaba|tenía|antes|originalmente|primero)(?![\p{L}\p{N}])/iu;

/** Returns whether a question asks about the past, where the newest answer is not the best. */
export function asksAboutPast(question: string): boolean {
  return PAST.test(question);
}

/** The most hits that are compared, because every pair of them is. */
const MAX_COMPARED = 20;
/** The most characters of a hit that are read, and the most terms that are looked for, rarest first. */
const MAX_CHARS = 3000;
const MAX_TERMS = 32;
/**
 * The share of the question's weight, as far as the best statement has it, that a statement needs
 * to be about the same question.
 */
const LEAST_ANSWERED = 0.5;
/** The share of the older statement's words of the question that the newer one must repeat. */
const LEAST_SHARED = 0.5;
/** The share of the older hit's score that the newer one needs. */
const LEAST_SCORE = 0.25;

/**
 * Moves the newest of several hits that answer the same question to the place of the first of them,
 * with the score of that hit. "Flutide 50", "Flutide 125" and "Flutide 100" are equally good answers
 * to "What dose of Flutide does Finn take?", and only the newest holds.
 *
 * Two hits answer the same question when each has a statement (a sentence, a line) with at least
 * half of the question's weight that the best statement has, and the newer statement repeats half of
 * the words of the question that the older one has, by weight. (A new number of the same unit needs only the word
 * beside the older number.) The newer statement must also tell of a
 * change, have another number beside a word of the question, or say the same of another name ("My boss is
 * Olga"): the newest of several passages about a subject is not the answer only because it is the newest.
 * (Without this condition LoCoMo's mean reciprocal rank falls from 0.813 to 0.784.)
 *
 * A hit that ends what an older answer names replaces it, also without a word of the question if what
 * ended is a name: "sold the Golf and bought a Zoe" replaces "drives a Golf" as the answer to "Which car
 * does Max drive?".
 *
 * A fact also replaces each passage that has the words of the fact that it replaced, if the passage
 * answers the question with these words alone: "I moved to Bremen" replaces "I live in Hamburg",
 * with which it shares no word. A fact and a passage that has its words say the same.
 *
 * @param hits best first
 * @param terms the question's terms, without names of speakers, which stand in every message
 * @param spare facts that are no hits, and become hits only if they replaced what a hit says
 * @param speakers the people of conversations whom the question names. If they speak in a passage, or a message names
 *   them, only these messages of the passage are compared. A fact about somebody else then replaces no answer
 * @param asked.owners the names whose property the question asks for, as in "Kari's phone number" (`ownersNamed`). A hit
 *   without such a name replaces none with it
 * @param asked.onlyReplaced whether a hit is replaced only by a fact that replaced the words of the hit. A question for the
 *   texts of some days asks for all of them, and not for the newest
 * @param asked.isOfSelf whether the question is about the asker alone (`asksOfSelf`). Hits about somebody else then come
 *   behind the first hit about the asker, and are no certain answers
 * @returns the hits in their new order, and for each older hit the chunk of the newest one
 */
export function newestFirst<T extends DatedHit>(
  hits: readonly T[],
  terms: readonly AskedTerm[],
  spare: readonly T[] = [],
  speakers: readonly string[] = [],
  {
    owners = [],
    isOfSelf = false,
    onlyReplaced = false,
  }: { owners?: readonly string[]; isOfSelf?: boolean; onlyReplaced?: boolean } = {},
): { hits: T[]; newerOf: Map<string, string> } {
  const rarest = terms.toSorted((a, b) => b.idf - a.idf).slice(0, MAX_TERMS);
  const ceilingOf = createCeiling(rarest);
  const saidOf = new Map([...hits, ...spare].map((hit) => [hit, asSaidBySelf(hit)]));
  const facts = [...saidOf].flatMap(([hit, { fact }]) => (fact ? { hit, words: wordsBetweenSpaces(fact.text) } : []));
  const names = speakers.map(wordsBetweenSpaces);
  const owning = owners.map(wordsBetweenSpaces);
  const compared =
    (isSpare: boolean) =>
    (hit: T): Compared<T> => {
      const said = saidOf.get(hit) ?? hit;
      const answer = answerOf(said, { terms: rarest, names }, ceilingOf);
      return {
        hit,
        isSpare,
        isOfOthers: isAboutOthers(hit, names),
        owners: owning.filter((name) => isNamedIn(name, hit.subject ?? "") || isNamedIn(name, hit.text)),
        answer,
        ended: endedIn(said),
        ...heldIn(hit, facts.length > 0 ? wordsOf(said, answer) : NO_WORDS, facts),
      };
    };
  const all = [...hits.slice(0, MAX_COMPARED).map(compared(false)), ...spare.map(compared(true))];
  const weight = Math.max(0, ...all.map(({ answer, isSpare }) => (isSpare ? 0 : answer.weight)));
  const best = onlyReplaced || weight === 0 ? undefined : weight;
  const mayReplace = best !== undefined || all.some(({ ofReplaced }) => ofReplaced.length > 0);
  if (!mayReplace) return { hits: [...hits], newerOf: new Map() };
  const ordered: T[] = [];
  const left = [...all];
  for (let first = left.shift(); first && !first.isSpare; first = left.shift()) {
    const newest = newestOf(first, left, best);
    if (newest) {
      left.splice(left.indexOf(newest), 1);
      ordered.push({ ...newest.hit, score: Math.max(newest.hit.score, first.hit.score) });
    }
    ordered.push(first.hit);
  }
  const newerOf = new Map(
    all.flatMap((one): [string, string][] => {
      const newest = one.isSpare ? undefined : newestOf(one, all, best);
      return newest ? [[one.hit.chunkId, newest.hit.chunkId]] : [];
    }),
  );
  const rest = hits.slice(MAX_COMPARED);
  if (best === undefined) return { hits: [...ordered, ...rest], newerOf };
  const placed = othersLast([...ordered, ...rest], names);
  if (!isOfSelf) return { hits: placed, newerOf };
  const ofOthers = new Set(all.filter(({ answer }) => isOfOther(answer)).map(({ hit }) => hit.chunkId));
  return { hits: selfFirst(placed, ofOthers), newerOf };
}

/** Returns whether the statement that answers is about somebody else than the asker. */
function isOfOther({ weight, about }: Answer): boolean {
  return weight > 0 && isOnlyOfOthers(about);
}

/**
 * Moves the first hit about the asker before the hits about others that lead, which then have at most its score, and marks
 * all hits about others: "My mother lives in Paris" is no answer to "Where do I live?".
 */
function selfFirst<T extends DatedHit>(hits: readonly T[], ofOthers: ReadonlySet<string>): T[] {
  const marked = hits.map((hit) => (ofOthers.has(hit.chunkId) ? { ...hit, lacksOwner: true as const } : hit));
  const own = marked.slice(0, MAX_COMPARED).findIndex(({ chunkId }) => !ofOthers.has(chunkId));
  const first = marked[own];
  if (own <= 0 || !first) return marked;
  const before = marked.slice(0, own).map((hit) => ({ ...hit, score: Math.min(hit.score, first.score) }));
  return [first, ...before, ...marked.slice(own + 1)];
}

/** Moves facts about people whom the question does not name behind hits that name its people, with their score at most. */
function othersLast<T extends DatedHit>(hits: readonly T[], names: readonly string[]): T[] {
  const last = hits.findLast((hit) => names.some((name) => isNamedIn(name, hit.subject ?? hit.text)));
  if (!last) return [...hits];
  const isOfOthers = (hit: T) => isAboutOthers(hit, names);
  const moved = hits.filter(isOfOthers).map((hit) => ({ ...hit, score: Math.min(hit.score, last.score) }));
  return [...hits.filter((hit) => !isOfOthers(hit)), ...moved];
}

/** The words that hits are compared by if there are facts among them, as `wordsBetweenSpaces` returns them. */
interface ComparedWords {
  readonly ofText: string;
  /** The words of the message that answers. */
  readonly ofAnswer: string;
  /** The words of a fact, and the facts that it replaced; empty for other hits. */
  readonly ofFact: string;
  readonly ofReplaced: readonly { readonly text: string; readonly words: string }[];
  /** For a passage without a word of the question: the messages that no assistant wrote, each with its time. */
  readonly told: readonly { readonly words: string; readonly saidAt: Date | undefined }[];
}

const NO_WORDS: ComparedWords = { ofText: "", ofAnswer: "", ofFact: "", ofReplaced: [], told: [] };

/** Splits a hit's texts once: for each pair of 20 hits it took 12 ms. */
function wordsOf(hit: DatedHit, { message, weight }: Answer): ComparedWords {
  const { text, fact } = hit;
  const ofAnswer = wordsBetweenSpaces(message === "" ? text : message);
  const ofFact = wordsBetweenSpaces(fact?.text ?? "");
  return {
    ofText: wordsBetweenSpaces(text),
    ofAnswer,
    ofFact,
    ofReplaced: replacedBy(fact),
    told: weight > 0 || fact ? [] : toldIn(hit),
  };
}

function toldIn(hit: DatedHit): ComparedWords["told"] {
  const messages = messagesIn(hit.text.slice(0, MAX_CHARS)).filter((message) => !BY_ASSISTANT.test(message));
  const said = messages.map((message) => (hit.session ? message.replace(SPEAKER, "") : message));
  return said.map((one) => ({ words: wordsBetweenSpaces(one), saidAt: saidAtOf(one, hit) }));
}

/** Returns the texts that a fact replaced, also through others: "I live in Graz" before two moves. */
function replacedBy(fact: DatedHit["fact"]): { text: string; words: string }[] {
  const texts = new Set([...(fact?.replaced ? [fact.replaced] : []), ...(fact?.former ?? [])]);
  return [...texts].map((text) => ({ text, words: wordsBetweenSpaces(text) }));
}

/** Returns the fact that a hit is or answers with. */
function heldIn<T extends DatedHit>(
  hit: T,
  words: ComparedWords,
  facts: readonly { readonly hit: T; readonly words: string }[],
): ComparedWords & Pick<Compared<T>, "held"> {
  if (words.ofFact !== "") return { ...words, held: { hit, words: words.ofFact } };
  return { ...words, held: facts.find((fact) => words.ofAnswer.includes(fact.words)) };
}

interface Compared<T extends DatedHit> extends ComparedWords {
  readonly hit: T;
  /** The fact that the hit is or answers with, and its words. All facts among the hits hold. */
  readonly held: { readonly hit: T; readonly words: string } | undefined;
  /** Whether the hit is shown only if it replaces another. */
  readonly isSpare: boolean;
  /** Whether it is a fact about somebody whom the question does not name, although it names somebody. */
  readonly isOfOthers: boolean;
  /** The owners whom the question names, as far as the hit names them, too. */
  readonly owners: readonly string[];
  readonly answer: Answer;
  /** The words of what the text says has ended, each with the time at which it says so. */
  readonly ended: ReadonlyMap<string, Date | undefined>;
}

/**
 * Returns the newest of the hits that replace one, or that replace such a hit; undefined if none does. "I'm vegan
 * again" does not replace "I'm vegan", but the denial between the two.
 */
function newestOf<T extends DatedHit>(one: Compared<T>, others: readonly Compared<T>[], best: number | undefined) {
  let newest: Compared<T> | undefined;
  for (let next: Compared<T> | undefined = one; next; ) {
    const replaced: Compared<T> = next;
    const newer = others.filter(
      (other) =>
        other !== one && other !== replaced && !isOfAnother(other.hit, one.hit) && replaces(other, replaced, best),
    );
    next = newer.reduce<Compared<T> | undefined>(
      (latest, other) => (latest && !isLater(other, latest) ? latest : other),
      undefined,
    );
    // Each step leads to a later hit, so the loop ends.
    if (next && newest && !isLater(next, newest)) next = undefined;
    newest = next ?? newest;
  }
  return newest;
}

/** @param best the most of the question's weight that a statement has; undefined: only facts replace what they replaced */
function replaces<T extends DatedHit>(newer: Compared<T>, older: Compared<T>, best: number | undefined): boolean {
  if (newer.isOfOthers || isOfAnother(newer.hit, older.hit) || saysSame(newer, older) || saysSame(older, newer))
    return false;
  if (lacksOwner(older, newer)) return false;
  // "Mia and I broke up" replaced "My girlfriend is called Mia", whomever the two are about.
  const areDifferent = areOfDifferentPeople(older.answer.about, newer.answer.about);
  if (isReplacedBy(older, newer, areDifferent)) return true;
  if (areDifferent || best === undefined) return false;
  if (newer.answer.weight > 0 && isLater(newer, older) && saysAnotherValue(newer.hit, older.held?.hit ?? older.hit))
    return true;
  if (newer.isSpare || !mayDeny(newer.answer, older.answer)) return false;
  if (endsAnswer(older, newer, best)) return true;
  // A passage of several messages may have the new value in one of them, and a low score.
  const isNamed = [...older.answer.named].some((concept) => newer.answer.named.has(concept));
  const mayBeLow = isNamed || newer.answer.endsAsked;
  if (!mayBeLow && newer.hit.score < LEAST_SCORE * older.hit.score) return false;
  if (!isSame(older.answer, newer.answer, best)) return false;
  // A file without a day is only known to be older if the newer statement names its value.
  if (older.answer.saidAt === undefined)
    return newer.answer.saidAt !== undefined && newer.answer.tellsChange && namesValue(older.answer, newer.answer);
  return isLater(newer, older) && isChanged(older.answer, newer.answer, bothHold(older, newer));
}

/**
 * Returns whether only the older hit names an owner: "My new phone number is 477" says nothing of "Kari's phone number". "My
 * wife works at Rikshospitalet now" may be about "my wife Kari".
 */
function lacksOwner<T extends DatedHit>(older: Compared<T>, newer: Compared<T>): boolean {
  return older.owners.some((name) => {
    if (newer.owners.includes(name)) return false;
    const words = wordsBetweenSpaces(older.hit.text);
    const relation = words.slice(0, words.indexOf(name)).split(" ").at(-1) ?? "";
    return relation === "" || isFunctionWord(relation) || !isNamedIn(` ${relation} `, newer.hit.text);
  });
}

/**
 * Returns whether two hits have facts that hold at once: "My dog is called Rex" and "My dog is called Bello". The
 * later fact would have ended the earlier one if both had one key.
 */
function bothHold<T extends DatedHit>(older: Compared<T>, newer: Compared<T>): boolean {
  if (!older.held || !newer.held || older.held.words === newer.held.words) return false;
  // A fact without a key ends no other fact when it is stored, not even an older dentist.
  return !mayContradict(newer.hit, older.hit);
}

/**
 * Returns whether two hits are of different users, agents or sessions, or about different subjects: each
 * may have a rent. What is of all is compared with what is of one.
 */
function isOfAnother({ scope: mine, ...one }: DatedHit, { scope: others, ...other }: DatedHit): boolean {
  const parts = [
    [mine?.user, others?.user],
    [mine?.agent, others?.agent],
    [mine?.session, others?.session],
    [one.subject, other.subject],
  ];
  return parts.some(([a, b]) => a && b && a !== b);
}

/**
 * Returns whether a statement may replace an older one: if it only denies ("Paul is no longer my manager"),
 * the older one must have the names that it denies. "My manager is Petra" still holds.
 */
function mayDeny({ denied }: Answer, { marked, plain }: Answer): boolean {
  return denied === undefined || [...denied].every((name) => marked.has(name) || plain.has(name));
}

/**
 * Returns whether a hit is a fact, and the other hit answers with the fact's words. A passage may have these
 * words in an earlier message, and answer with another value.
 */
function saysSame({ ofFact }: ComparedWords, { ofAnswer }: ComparedWords): boolean {
  return ofFact !== "" && ofAnswer.includes(ofFact);
}

/** The fewest words of a replaced fact by which passages that say the same are recognised. */
const LEAST_WORDS = 3;

/**
 * Returns whether a hit is a fact that replaced what a passage says, in its words or with its value. The replaced
 * fact must have all words of the question that the passage's statement has: "I live in Hamburg and work at
 * Globex" still tells where somebody works after a move.
 *
 * @param hasToRepeat whether only the words of the replaced fact count, and not its value
 */
function isReplacedBy<T extends DatedHit>(older: Compared<T>, newer: Compared<T>, hasToRepeat: boolean): boolean {
  const { answer } = older;
  if (answer.weight === 0) return saysWhatEnded(older, newer);
  if (isAfter(answer.saidAt, newer.hit.saidAt)) return false;
  return newer.ofReplaced.some(({ text, words }) => {
    if (!older.ofText.includes(words) && (hasToRepeat || !hasFormerValue(answer, newer.hit, text))) return false;
    // A name alone, such as the text of a fact with a key, is in passages about other things too.
    const isWhole = older.ofAnswer.endsWith(words) && countOf(older.ofAnswer) <= LEAST_WORDS;
    if (!isWhole && countOf(words) < LEAST_WORDS) return false;
    // "I'm dating Bruno, he is a chef" still tells where Bruno works after "Bruno and I broke up".
    if (saysMore(older.ofAnswer, words) && hasOnlyNames(answer)) return false;
    const concepts = conceptsIn(text, answer.terms);
    return [...answer.concepts.keys()].every((concept) => concepts.has(concept));
  });
}

function isAfter(one: Date | undefined, other: Date | undefined): boolean {
  return one !== undefined && other !== undefined && one > other;
}

/** The share of the user's words in a passage that shows the subject of the passage. */
const MOST_OF_PASSAGE = 0.5;

/**
 * Returns whether a passage without a word of the question says mainly what a fact has replaced: "My dog is called Rex" is
 * near to "Do I have a pet?", and "Rex died" has replaced it.
 */
function saysWhatEnded<T extends DatedHit>({ told }: Compared<T>, newer: Compared<T>): boolean {
  const most = MOST_OF_PASSAGE * told.reduce((sum, { words }) => sum + countOf(words), 0);
  return newer.ofReplaced.some(({ words: ended }) => {
    const isMost = countOf(ended) >= Math.max(LEAST_WORDS, most);
    return isMost && told.some(({ words, saidAt }) => words.includes(ended) && !isAfter(saidAt, newer.hit.saidAt));
  });
}

/** Counts the words of a text that `wordsBetweenSpaces` returned. */
function countOf(words: string): number {
  return words.trim().split(" ").length;
}

/** The most words that a message may have beside the words of a fact, if both say the same. */
const MORE_WORDS = 3;

function saysMore(message: string, fact: string): boolean {
  return countOf(message) > countOf(fact) + MORE_WORDS;
}

/**
 * Returns whether a statement has the numbers and names that a fact no longer has since it replaced another: after
 * "The budget of Kestrel is 480,000", a note with "The budget is 410,000" is older.
 */
function hasFormerValue({ marked, terms }: Answer, { fact }: DatedHit, replaced: string): boolean {
  const now = namesIn(fact?.text ?? "", terms).marked;
  const before = namesIn(replaced, terms).marked;
  const former = [...before].filter((value) => !now.has(value));
  const latest = [...now].filter((value) => !before.has(value));
  return former.length > 0 && former.every((value) => marked.has(value)) && !latest.some((value) => marked.has(value));
}

/**
 * Returns whether a later hit says that what an older one answers has ended. A word that is no name,
 * such as "handball", counts only if the later hit has a word of the question too.
 */
function endsAnswer<T extends DatedHit>(older: Compared<T>, newer: Compared<T>, best: number): boolean {
  if (newer.ended.size === 0 || older.answer.weight < LEAST_ANSWERED * best) return false;
  const { marked, plain } = answeringClause(older.answer);
  return [...newer.ended].some(
    ([word, saidAt]) =>
      (marked.has(word) || (newer.answer.weight > 0 && plain.has(word))) &&
      isLater({ hit: newer.hit, answer: { saidAt } }, older),
  );
}

const NO_NAMES: Pick<Answer, "marked" | "plain"> = { marked: new Set(), plain: new Set() };

/**
 * Returns the names and words of the clause of a statement that has most of the question: a move from Vim ends
 * nothing that "I use Vim, and our CI is Jenkins" says of the CI. There are none if two clauses have as much of
 * the question, each in other words.
 */
function answeringClause({ text, terms }: Answer): Pick<Answer, "marked" | "plain"> {
  const clauses = text.split(CLAUSE).map((clause) => ({ clause, concepts: conceptsIn(clause, terms) }));
  const best = Math.max(...clauses.map(({ concepts }) => weightOf(concepts)));
  const answering = clauses.filter(({ concepts }) => weightOf(concepts) === best);
  const asked = new Set(answering.map(({ concepts }) => [...concepts.keys()].sort().join()));
  if (asked.size > 1) return NO_NAMES;
  return namesIn(best === 0 ? text : answering.map(({ clause }) => clause).join(" "), terms);
}

/** A hit with the time of one of its statements. */
interface Told {
  readonly hit: DatedHit;
  readonly answer: Pick<Answer, "saidAt">;
}

function isLater({ hit: one, answer: { saidAt } }: Told, { hit: other, answer: { saidAt: before } }: Told): boolean {
  if (saidAt === undefined || before === undefined) return false;
  const difference = saidAt.getTime() - before.getTime();
  // Of two documents of one moment, the one that was stored later is the newer.
  return difference > 0 || (difference === 0 && one.path !== other.path && Number(one.chunkId) > Number(other.chunkId));
}

/** Returns when a hit says a text: the time of the last message that has it, else that of the hit. */
function saidAtOf(text: string, { around = [], saidAt }: DatedHit): Date | undefined {
  return around.findLast((message) => message.text.includes(text))?.at ?? saidAt;
}

/**
 * Returns whether a statement has a number or a name of an older one: "after 10 minutes now instead
 * of 15".
 */
function namesValue(older: Answer, newer: Answer): boolean {
  return [...older.marked].some((value) => newer.marked.has(value));
}

/** The statement of a text that has most of the question. */
interface Answer {
  /** The statement's message, or the whole text of a file; empty if the text has no word of the question. */
  readonly message: string;
  /** The statement; empty if the text has no word of the question. */
  readonly text: string;
  /** The question's terms. */
  readonly terms: readonly AskedTerm[];
  /** The sum of the weights of the concepts. */
  readonly weight: number;
  /** The weights of the question's concepts that the statement has. */
  readonly concepts: ReadonlyMap<number, number>;
  /** The question's concepts that the statement writes with a capital letter. */
  readonly named: ReadonlySet<number>;
  /** For each word of the question that stands beside a number: the numbers. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  /** The words and signs after a number: "mg", "€", "euros". */
  readonly units: ReadonlySet<string>;
  /** The numbers and the words with a capital letter that the question does not have. */
  readonly marked: ReadonlySet<string>;
  /** The other words that the question does not have. */
  readonly plain: ReadonlySet<string>;
  /** Whether the statement says what something is: "My boss is Olga", "Rent: 1,150". */
  readonly isState: boolean;
  /** Whether the statement says that something has changed. */
  readonly tellsChange: boolean;
  /** Whether it also tells the new value: "raised to 950", "a new plumber", "I now use Vim". */
  readonly tellsNewValue: boolean;
  /** Whether it says that something does not take place. */
  readonly tellsEnd: boolean;
  /** Whether it says that what the question names has ended: "I sold my car", to a question about a car. */
  readonly endsAsked: boolean;
  /** Whether this is something that people do: "quit chess" answers whether somebody plays it. */
  readonly endsActivity: boolean;
  /** For a statement that only denies: the names in it. */
  readonly denied: ReadonlySet<string> | undefined;
  /** The person that the statement is about. */
  readonly about: AboutPerson;
  /** When the statement was said; undefined: not known. */
  readonly saidAt: Date | undefined;
}

/**
 * Returns whether the newer statement tells of a change, has another number beside the same word, or
 * says the same of another name. Without this, the newest of several passages about one subject would
 * come first, although an older one has the answer.
 */
function isChanged(older: Answer, newer: Answer, holdAtOnce: boolean): boolean {
  // "Sold the old Golf" says nothing of where the Golf is insured.
  const hasAll = [...older.concepts.keys()].every((concept) => newer.concepts.has(concept));
  // "I cancelled my hairdresser appointment" says nothing of the dentist appointment.
  const qualifier = qualifierOf(newer);
  const isOther = qualifier !== undefined && qualifier !== qualifierOf(older) && !NO_KIND.has(qualifier);
  if (isOther && !hasAll) return false;
  if (newer.endsAsked && (newer.endsActivity || hasAll)) return true;
  const mayDiffer = older.isState || sharesOnlyNames(older, newer);
  const tellsChange = newer.tellsChange && !hasOnlyNames(older) && (!mayDiffer || mayBeNewState(older, newer));
  if (tellsChange || (!holdAtOnce && namesAnother(older, newer))) return true;
  if (!newer.tellsChange && qualifierOf(newer) !== qualifierOf(older)) return false;
  return [...older.values].some(([word, numbers]) => {
    const others = newer.values.get(word);
    return others !== undefined && [...others].some((number) => !numbers.has(number));
  });
}

/**
 * Returns whether a statement that tells of a change may say anew what an older one says that something
 * is, with a value of the same kind: "The plumber replaced 3 valves" says nothing of who the plumber is.
 */
function mayBeNewState(older: Answer, newer: Answer): boolean {
  if (newer.tellsEnd) return true;
  if (!newer.isState && !newer.tellsNewValue) return false;
  // "Our ingress is nginx again instead": a name need not have a capital letter.
  if (newer.isState && newer.tellsNewValue) return true;
  const [before, after] = [kindsOf(older), kindsOf(newer)];
  return before.size === 0 || [...before].some((kind) => after.has(kind));
}

/** Returns the kinds of a statement's values. */
function kindsOf({ marked }: Answer): ReadonlySet<"number" | "time" | "name"> {
  return new Set([...marked].map((value) => (NUMBER.test(value) ? "number" : TIME.test(value) ? "time" : "name")));
}

/**
 * Returns whether a statement about somebody has only names of the question, which has other words too: "I
 * live in Oslo with Sofie" does not answer "When is Sofie's birthday?", so no change makes it out of date.
 */
function hasOnlyNames({ terms, concepts, named, about }: Answer): boolean {
  if (!about.person) return false;
  const isAll = new Set(terms.map(({ concept }) => concept)).size === concepts.size;
  return !isAll && [...concepts.keys()].every((concept) => named.has(concept));
}

/**
 * Returns whether a newer statement has no word of the question but names: "Omar has moved to Bremen" says
 * anew where Omar lives, and "Omar has a new bike" does not.
 */
function sharesOnlyNames(older: Answer, newer: Answer): boolean {
  return [...newer.concepts.keys()].every((concept) => older.named.has(concept) && newer.named.has(concept));
}

/** Matches a relative: "my daughter Lucy" is Lucy, and no Lucy of another kind. */
const A_RELATION = new RegExp(`^(?:${RELATIONS})$`, "u");
/** Matches the word between "my" and another word, in the first group, and the other word in the second. */
const QUALIFIED = /(?<![\p{L}\p{N}])(?:my|our) ([\p{L}\p{M}]+) ([\p{L}\p{M}]+)/giu;

/**
 * Returns the word that tells the speaker's thing from others, if it is no word of the question: "work" in "my work
 * phone number", which is another number than "my phone number".
 */
function qualifierOf({ text, terms }: Answer): string | undefined {
  const found = [...text.toLowerCase().matchAll(QUALIFIED)].find(
    ([, word = "", named = ""]) =>
      !A_RELATION.test(word) && termOf(word, terms) === undefined && termOf(named, terms) !== undefined,
  );
  return found?.[1];
}

/** Matches a thing that people have with several parties, such as a meeting. The first group is the word before it. */
const WITH_PARTY = /(?<![\p{L}\p{N}])(\p{L}+) (?:appointment|meeting|call|lesson|session|visit|class)(?!\p{L})/iu;

function kindOfParty({ text }: Answer): string {
  const kind = WITH_PARTY.exec(text)?.[1]?.toLowerCase() ?? "";
  return isFunctionWord(kind) || NO_KIND.has(kind) ? "" : kind;
}

/** Words between "my" and a thing that do not tell it from others. */
const NO_KIND: ReadonlySet<string> = new Set("new old current own next last first whole usual regular".split(" "));

/** Matches what people of different names share. */
const TITLE = /^(?:dr|mr|mrs|ms|prof|st)$/u;

/** Returns whether the newer statement has all telling words of an older one, but other names and numbers. */
function namesAnother(older: Answer, newer: Answer): boolean {
  if (!older.isState || !newer.isState || older.marked.size === 0 || newer.marked.size === 0) return false;
  if (![...older.concepts.keys()].every((concept) => newer.concepts.has(concept))) return false;
  const said = [...older.plain].filter((word) => !isFunctionWord(word));
  return said.every((word) => newer.plain.has(word)) && !namesValue(older, newer);
}

/** Words by which people tell that something has changed. */
const CHANGE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "now|instead|no longer|any ?more|rather than|not the|currently|from now on|as of|recently|new",
    "back to|up to|down to|cut to|cancell?ed|changed?|moved|switch(?:ed|ing)|updated?|rescheduled|postponed|replaced|reversed",
    "rebooked|pushed|slipped|shifted|delayed|bumped|extended|upped|upgraded|downgraded|renewed|on again|back on",
    "after all|(?:the )?wrong|mistyped|mistaken|misread|typo|correct(?:ed|ion)",
    "increased|decreased|raised|lowered|reduced|doubled|halved|from \\S{1,40} to",
    "jetzt|nun|statt|nicht mehr|geändert|verschoben|umgezogen|gewechselt|ab sofort",
    "maintenant|désormais|au lieu|plutôt|ahora|ya no|en vez|en lugar",
  ].join("|")})(?![\\p{L}\\p{N}])|→|->`,
  "iu",
);
/** Words by which people tell of a change and of the value that it leads to. */
const NEW_VALUE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "instead|no longer|any ?more|rather than|not the|from now on|as of|back to|up to|down to|cut to|from \\S{1,40} to",
    "(?:chang|mov|switch|updat|reschedul|postpon|revers|increas|decreas|rais|lower|reduc|renam|rebook|push|slip|shift|delay|bump|extend|upp|upgrad|downgrad)[a-z]*(?: [^ .,;:!?\\n]+){0,4} (?:to|by)",
    "replac[a-z]*(?: [^ .,;:!?\\n]+){0,4} (?:by|with)|doubled|halved",
    "statt|nicht mehr|ab sofort|auf [^.\\n]{1,60} (?:geändert|verschoben|erhöht|gesenkt)|beträgt|beläuft sich",
    "désormais|au lieu|plutôt|ya no|en vez|en lugar|ahora",
    "(?:I|we|ich|wir|je|nous)(?: [^ .;:!?\\n]+){0,6} (?:now|currently|jetzt|nun|maintenant)",
    "(?:now|currently|jetzt|nun|maintenant),?(?: [^ .;:!?\\n]+)? (?:I|we|ich|wir|je|nous)",
  ].join("|")})(?![\\p{L}\\p{N}])|→|->`,
  "iu",
);
/** Words by which people say that something does not take place. */
const CALLED_OFF = /(?<![\p{L}\p{N}])(?:cancell?ed|called off|abgesagt|annulée?s?|cancelad[oa]s?)(?![\p{L}\p{N}])/iu;
/** Matches a word that is said to be new, in the first group. */
const NEW = /(?<![\p{L}\p{N}])(?:new|neue[rsnm]?|nouve(?:au|l|lle)s?|nuev[oa]s?) ([\p{L}\p{M}]+)/giu;
/** Words by which people say that something holds no more. */
const DENIAL =
  /(?<![\p{L}\p{N}])(?:no longer|any ?(?:more|longer)(?<=(?:n['’]?t|not|never|nobody) .{0,120}any ?(?:more|longer))|nicht mehr|kein\p{L}* .{1,120}mehr|ya no|ne .{1,120} plus)(?![\p{L}\p{N}])/iu;
/** Matches what says that something has not a name. */
const NO_NAME = /(?<![\p{L}\p{N}])(?:is|are|was) not(?= \p{Lu})/u;
const CLAUSE = /[,;–—]\s|\s(?:but|and|sondern|mais|sino)\s/iu;
const SPEAKER = /^[^:]{1,60}: /u;
/** Matches what tells when, and names nothing. */
const TIME =
  /^(?:\p{N}.*|january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)$/u;
/** Words by which people say what something is. */
const STATE = /(?<![\p{L}\p{N}])(?:is|are|ist|sind|est|sont|es|son|it['’]s)(?![\p{L}\p{N}])|:(?!\p{N})/iu;
/**
 * Matches what people say has ended, in the first group. "From Graz to Vienna" alone may be a journey,
 * and "left the keys" ends nothing.
 */
const ENDED = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "instead of|rather than|in place of|replac(?:es|ed|ing)(?! by| with)|no longer|gave up|got rid of|(?:stopped|quit|gave up|given up) \\p{Ll}+ing|(?:trad|hand)ed in|swapped|(?:quit|sold|ditched|dropped|cancell?ed)",
    "(?:mov|switch|chang|migrat|tak|took)[a-z]*(?: [^ .,;:!?\\n]+){0,4} from",
    "anstelle von|statt|au lieu de|à la place de|en vez de|en lugar de",
  ].join("|")})((?: (?!(?:to|by|with|for|nach|durch|à|por|a) )[^ .,;:!?\\n]+){1,4})`,
  "giu",
);
/** Matches a verb by which people end what they do, and not what they have. */
const GAVE_UP = /(?<![\p{L}\p{N}])(?:quit|gave up|given up|stopped)(?![\p{L}\p{N}])/iu;
const NUMBER = /^\p{N}/u;
/** How many words away from a number its word stands. */
const BESIDE = 2;

function isSame(older: Answer, newer: Answer, best: number): boolean {
  if (older.weight < LEAST_ANSWERED * best) return false;
  if (retells(older, newer)) return true;
  // Tom's new dentist does not replace Ida's.
  if (![...older.named].every((concept) => newer.concepts.has(concept))) return false;
  const shared = [...older.concepts].reduce((sum, [concept, idf]) => sum + (newer.concepts.has(concept) ? idf : 0), 0);
  if (haveSameUnit(older, newer)) {
    const isOfSameName = newer.tellsChange && older.named.size > 0;
    if (isOfSameName || (newer.tellsNewValue && hasCounted(older, newer))) return true;
  }
  return newer.weight >= LEAST_ANSWERED * best && shared >= LEAST_SHARED * older.weight;
}

/**
 * Returns whether the newer statement tells a new value of the same kind for a thing that it names with fewer words, and
 * names nothing else: "The flight was rebooked to December 4" is about "the flight to Berlin on December 3", unless it names another
 * place.
 */
function retells(older: Answer, newer: Answer): boolean {
  if (!newer.tellsNewValue || newer.concepts.size === 0 || sharesOnlyNames(older, newer)) return false;
  if (![...newer.concepts.keys()].every((concept) => older.concepts.has(concept))) return false;
  // Leo's appointment is another one than mine, and the team meeting another than the review meeting.
  const isOwned = older.about.owner !== undefined && older.about.owner !== "mine";
  if (isOwned || kindOfParty(older) !== kindOfParty(newer)) return false;
  // "They raised the price of sertraline to 12 euros" tells no new dose.
  const isPlain = (word: string) => isFunctionWord(word) || isCommonWord(word) || CHANGE.test(word);
  if (![...newer.plain].every(isPlain)) return false;
  const [before, after] = [kindsOf(older), kindsOf(newer)];
  return !after.has("name") && [...after].some((kind) => before.has(kind));
}

/**
 * Returns whether the newer statement has the word of the question that stands nearest to a number in the older one:
 * "my dose of ibuprofen" says nothing of "my dose of sertraline is 50 mg".
 */
function hasCounted({ text, terms }: Answer, { concepts }: Answer): boolean {
  const words = text.toLowerCase().match(TOKEN) ?? [];
  const places = words.flatMap((word, at) => {
    const term = NUMBER.test(word) ? undefined : termOf(word, terms);
    return term ? [{ at, concept: term.concept }] : [];
  });
  return words.some((word, at) => {
    if (!NUMBER.test(word)) return false;
    const [nearest] = places.toSorted((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at));
    return nearest !== undefined && concepts.has(nearest.concept);
  });
}

/**
 * Returns whether two statements have a number of the same unit: after "I take sertraline 50 mg", "they raised my
 * sertraline to 100 mg" tells the dose anew. In a small memory the word that both have may weigh little, because most
 * texts have it.
 */
function haveSameUnit(older: Answer, newer: Answer): boolean {
  return [...older.units].some((unit) => newer.units.has(unit));
}

/** Returns whether a fact is about somebody, and neither its subject nor its text is one of the names. */
function isAboutOthers({ fact, subject, text }: DatedHit, names: readonly string[]): boolean {
  if (!fact || !subject || names.length === 0) return false;
  return !names.some((name) => isNamedIn(name, subject) || isNamedIn(name, text));
}

function isNamedIn(name: string, text: string | undefined): boolean {
  return text !== undefined && wordsBetweenSpaces(text).includes(name);
}

/** Returns the statements of named people, or with their names, if there are any; else all. */
function ofNamed(all: ReturnType<typeof statementsOf>, names: readonly string[]): ReturnType<typeof statementsOf> {
  if (names.length === 0) return all;
  const meant = all.filter((one) => names.some((name) => isNamedIn(name, one.speaker) || isNamedIn(name, one.text)));
  return meant.length > 0 ? meant : all;
}

/** @param ceilingOf returns a weight that a statement does not exceed */
function answerOf(
  hit: DatedHit,
  { terms, names }: { terms: readonly AskedTerm[]; names: readonly string[] },
  ceilingOf: (statement: string) => number,
): Answer {
  const { text, session, fact, subject } = hit;
  // A fact's chunk has a heading above the text. Without a word of the question the fact tells by itself.
  let best = { weight: 0, concepts: new Map<number, number>(), text: "", speaker: subject ?? undefined, message: "" };
  const statements = ofNamed(statementsOf(text.slice(0, MAX_CHARS), session != null), names);
  for (const { text: statement, speaker, message } of statements) {
    // Of several messages that have as much of the question, the last one counts, and in it the first sentence.
    const isLaterMessage = session != null && message !== best.message;
    const ceiling = ceilingOf(statement);
    if (ceiling === 0 || (isLaterMessage ? ceiling < best.weight : ceiling <= best.weight)) continue;
    const concepts = conceptsIn(statement, terms);
    const weight = weightOf(concepts);
    if (weight > best.weight || (isLaterMessage && weight === best.weight && weight > 0))
      best = { weight, concepts, text: statement, speaker: speaker ?? subject ?? undefined, message };
  }
  const { text: statement, speaker, ...answer } = best;
  const told = statement === "" ? (fact?.text ?? "") : statement;
  return {
    ...answer,
    text: statement,
    terms,
    values: valuesIn(statement, terms),
    units: unitsIn(statement),
    named: namedIn(statement, terms),
    ...namesIn(statement, terms),
    isState: STATE.test(statement),
    tellsChange: CHANGE.test(statement),
    tellsNewValue: NEW_VALUE.test(statement) || isNew(statement, terms),
    tellsEnd: CALLED_OFF.test(statement),
    endsAsked: endsAsked(statement, terms),
    endsActivity: GAVE_UP.test(statement),
    denied: deniedIn(statement, terms),
    about: aboutPerson({ text: told, speaker, isSaid: session != null || fact != null }),
    saidAt: statement === "" ? hit.saidAt : saidAtOf(statement, hit),
  };
}

/** Returns whether a statement calls something new that the question names. */
function isNew(statement: string, terms: readonly AskedTerm[]): boolean {
  return [...statement.matchAll(NEW)].some(([, word = ""]) => termOf(word.toLowerCase(), terms) !== undefined);
}

/** Words that may stand between a verb and its noun: "sold my old car". */
const BEFORE_NOUN = /^(?:my|our|the|his|her|their|this|that|old|whole|first|second|other|last|all)$/u;
/** Matches words that tell when something ended. */
const WHEN =
  /^(?:yesterday|today|tonight|recently|finally|weeks?|months?|years?|days?|\p{L}+ly|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$/u;
/** Matches what makes "dropped my car" no end: "off at the garage". */
const NO_END = /^ (?:off|out|in|by|back|at|near|from)(?!\p{L})/u;

/**
 * Returns whether a statement says that something has ended which the question names: the noun directly behind
 * the verb, as in "I sold my old car".
 */
function endsAsked(statement: string, terms: readonly AskedTerm[]): boolean {
  return [...statement.matchAll(ENDED)].some(({ index, 0: all, 1: words = "" }) => {
    const behind = words.trim().split(" ");
    const at = behind.findIndex((word) => !BEFORE_NOUN.test(word.toLowerCase()));
    const [noun = ""] = (behind[at] ?? "").toLowerCase().match(TOKEN) ?? [];
    if (termOf(noun, terms) === undefined) return false;
    // "I quit the band newsletter" leaves the band.
    const [next = ""] = (behind[at + 1] ?? "").match(TOKEN) ?? [];
    if (/^\p{Ll}/u.test(next) && !isCommonWord(next) && !WHEN.test(next)) return false;
    const end = index + all.length - words.length + ` ${behind.slice(0, at + 1).join(" ")}`.length;
    return !NO_END.test(statement.slice(end));
  });
}

function denies(text: string): boolean {
  return DENIAL.test(text) || NO_NAME.test(text);
}

/** Returns the names in a statement that only denies; undefined for others, such as "no longer Tom but Jana". */
function deniedIn(statement: string, terms: readonly AskedTerm[]): ReadonlySet<string> | undefined {
  if (!denies(statement)) return undefined;
  const clauses = statement.replace(SPEAKER, "").split(CLAUSE);
  const names = (clause: string) => {
    const [first = ""] = clause.match(TOKEN) ?? [];
    const name = first.toLowerCase();
    const { marked } = namesIn(clause, terms);
    const isName = MARKED.test(first) && !isCommonWord(name) && !termOf(name, terms);
    return [...marked, ...(isName ? [name] : [])].filter((one) => one.length > 1 && !TIME.test(one));
  };
  const others = clauses.filter((clause) => !denies(clause));
  return others.some((clause) => names(clause).length > 0) ? undefined : new Set(clauses.flatMap(names));
}

const BY_ASSISTANT = /^assistant: /;

/**
 * Splits a text into sentences and lines. Those of a conversation have their speakers. Messages of the
 * assistant are left out: it explains at length, and what holds is what the user says.
 */
function statementsOf(
  text: string,
  isSession: boolean,
): { text: string; speaker: string | undefined; message: string }[] {
  return messagesIn(text).flatMap((message) => {
    if (BY_ASSISTANT.test(message)) return [];
    const [before] = isSession ? (SPEAKER.exec(message) ?? []) : [];
    const sentences = sentencesIn(before === undefined ? message : message.slice(before.length));
    return sentences.map((sentence) => ({ text: sentence, speaker: before?.slice(0, -2), message }));
  });
}

function endedIn(hit: DatedHit): ReadonlyMap<string, Date | undefined> {
  const text = hit.text.slice(0, MAX_CHARS);
  // Few texts say that something has ended.
  if (text.search(ENDED) === -1) return new Map();
  const said = messagesIn(text).filter((message) => !BY_ASSISTANT.test(message));
  const ended = said.flatMap((message) => [...message.matchAll(ENDED)]);
  return new Map(
    ended.flatMap(([all, words = ""]) =>
      (words.toLowerCase().match(TOKEN) ?? [])
        .filter((word) => !isCommonWord(word) && !TIME.test(word))
        .map((word): [string, Date | undefined] => [word, saidAtOf(all, hit)]),
    ),
  );
}

/** The shortest stem that stands for all words that begin with it. */
const LEAST_STEM = 3;

/**
 * Returns the part of a lexeme with which all forms of its word begin: a stemmer replaces a final y by i, and
 * "taking" lacks the e of "take".
 */
function stemOf(lexeme: string): string {
  return lexeme.length > LEAST_STEM && /[ie]$/.test(lexeme) ? lexeme.slice(0, -1) : lexeme;
}

/** Matches a text in which a word may be written in parts or with accents: "re-use", "12,500", "café". */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const IN_PARTS = /[^\x00-\x7f]|\d|[a-z][^a-z\s]{1,3}[a-z]/i;

/**
 * Makes a function that returns a weight which a statement does not exceed, by a search for the letters of
 * the terms. Most statements need no analysis then, which takes ten times as long.
 */
function createCeiling(terms: readonly AskedTerm[]): (statement: string) => number {
  const sought = terms.map((term) => ({ ...term, letters: lettersIn(stemOf(term.lexeme)) }));
  return (statement) => {
    const lower = statement.toLowerCase();
    const joined = IN_PARTS.test(statement) ? lettersIn(statement) : "";
    const found = new Map<number, number>();
    for (const { letters, concept, idf } of sought)
      if (idf > (found.get(concept) ?? 0) && (lower.includes(letters) || joined.includes(letters)))
        found.set(concept, idf);
    return weightOf(found);
  };
}

function weightOf(concepts: ReadonlyMap<number, number>): number {
  let weight = 0;
  for (const idf of concepts.values()) weight += idf;
  return weight;
}

function conceptsIn(statement: string, terms: readonly AskedTerm[]): Map<number, number> {
  const { words, terms: exact } = analyzeDocument(statement);
  const all = words.split(" ");
  const found = new Map<number, number>();
  for (const { lexeme, concept, idf } of terms) {
    const stem = stemOf(lexeme);
    // A search of the joined words rules out most terms.
    const hasForm = words.includes(stem) && all.some((word) => word === lexeme || isFormOf(word, stem));
    const isIn = hasForm || exact.includes(`'${lexeme}':`);
    const isMeant = isIn || (LIVES.test(lexeme) && MOVED.test(statement));
    if (isMeant && idf > (found.get(concept) ?? 0)) found.set(concept, idf);
  }
  return found;
}

/** Matches the lexeme of "live", and a statement that says where somebody lives since a move. */
const LIVES = /^liv/u;
const MOVED = /(?<![\p{L}\p{N}])(?:moved|relocated) (?:back )?(?:to|into|in)(?![\p{L}\p{N}])/iu;

const TOKEN = /[\p{L}\p{M}]+|\p{N}+(?:[.,:]\p{N}+)*/gu;

const MARKED = /^[\p{Lu}\p{N}]/u;

function namesIn(statement: string, terms: readonly AskedTerm[]): Pick<Answer, "marked" | "plain"> {
  const [marked, plain] = [new Set<string>(), new Set<string>()];
  for (const [at, word] of (statement.match(TOKEN) ?? []).entries()) {
    const name = word.toLowerCase();
    // The first word has a capital letter in any case.
    if (!termOf(name, terms)) (at > 0 && MARKED.test(word) && !TITLE.test(name) ? marked : plain).add(name);
  }
  return { marked, plain };
}

function namedIn(statement: string, terms: readonly AskedTerm[]): ReadonlySet<number> {
  const written = (statement.match(TOKEN) ?? []).filter((word) => MARKED.test(word) && !NUMBER.test(word));
  return new Set(written.flatMap((word) => termOf(word.toLowerCase(), terms)?.concept ?? []));
}

function termOf(word: string, terms: readonly AskedTerm[]): AskedTerm | undefined {
  return terms.find(({ lexeme }) => word === lexeme || isFormOf(word, lexeme));
}

function valuesIn(statement: string, terms: readonly AskedTerm[]): Map<string, Set<string>> {
  const words = statement.toLowerCase().match(TOKEN) ?? [];
  const values = new Map<string, Set<string>>();
  for (const [at, word] of words.entries()) {
    if (!NUMBER.test(word)) continue;
    for (const beside of words.slice(Math.max(0, at - BESIDE), at + BESIDE + 1)) {
      // A stemmer replaces a final y: the lexeme of "Lucy" is "luci".
      const term = NUMBER.test(beside)
        ? undefined
        : (termOf(beside, terms) ?? termOf(beside.replace(/y$/u, "i"), terms));
      if (!term) continue;
      values.set(term.lexeme, (values.get(term.lexeme) ?? new Set()).add(word));
    }
  }
  return values;
}

/** Matches the units in which people tell how long something took, beside its value: "by 40 % over 6 weeks". */
const SPAN = /^(?:days?|weeks?|months?|years?|times|am|pm|tage?n?|wochen?|monate?n?|jahre?n?)$/u;
/** Matches what stands after a number, in the first group. Percent are no unit: they are of anything. */
const UNIT = /\p{N} ?(\p{Sc}|[\p{L}\p{M}]+)/gu;

function unitsIn(statement: string): ReadonlySet<string> {
  const units = [...statement.matchAll(UNIT)].map(([, unit = ""]) => unit.toLowerCase());
  return new Set(units.filter((unit) => !isFunctionWord(unit) && !TIME.test(unit) && !SPAN.test(unit)));
}

/** The most letters that a form of a word has more than its stem: "escal", "escalation". */
const MAX_ENDING = 6;

function isFormOf(word: string, stem: string): boolean {
  // "Wedding" and "running" double the last letter of their stems.
  const doubled = word.charAt(stem.length) === stem.at(-1) ? 1 : 0;
  const ending = word.length - stem.length - doubled;
  return stem.length >= LEAST_STEM && word.startsWith(stem) && ending <= Math.min(MAX_ENDING, stem.length);
}
