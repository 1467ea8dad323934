import { hasOwners, ownersIn } from "../words/owners.ts";
import { messagesIn, sentencesIn, wordsBetweenSpaces } from "../words/statements.ts";
import { isCertain, type JudgedHit } from "./certainty.ts";

/** A hit as far as this module reads it. */
export interface SpokenHit extends JudgedHit {
  readonly path: string;
  readonly text: string;
  /** The messages around a passage of a conversation; undefined for other texts. */
  readonly around?: readonly unknown[] | undefined;
}

/**
 * Moves passages of conversations that only ask behind the certain hits, with the score of the last
 * of them. A client that stores each question and looks for it again would otherwise find the
 * question itself, or "I do not know", before the answer. A passage that may tell something keeps its
 * place, and so does a passage of a conversation that the question names.
 *
 * @param hits best first, each with the messages around it as far as they are shown
 * @param question the question of the search
 * @param shown how many of the hits are shown; the others are left as they are, so that no passage is
 *   moved out of the answer
 * @returns the hits in their new order. Hits that only ask are marked, and so are hits that do not name the
 *   owner: "My name is Petra" is no certain answer to "What is my sister's name?"
 */
export function answersFirst<T extends SpokenHit>(hits: readonly T[], question: string, shown: number): T[] {
  const owners = ownersIn(question);
  const judged = hits
    .slice(0, shown)
    .map((hit) =>
      !hit.named && hit.around && onlyAsks(hit.text, question) ? { ...hit, onlyAsks: true as const } : hit,
    )
    .map((hit) =>
      hit.named || hasOwners(`${hit.path} ${hit.text}`, owners) ? hit : { ...hit, lacksOwner: true as const },
    );
  const last = judged.findLastIndex((hit) => !hit.onlyAsks && isCertain([hit]));
  const certain = judged.slice(0, last + 1);
  const answers = certain.filter((hit) => !hit.onlyAsks);
  const least = answers.at(-1)?.score ?? 0;
  const questions = certain.filter((hit) => hit.onlyAsks).map((hit) => ({ ...hit, score: Math.min(hit.score, least) }));
  return [...answers, ...questions, ...judged.slice(last + 1), ...hits.slice(shown)];
}

const SPEAKER = /^([\p{L}\p{N}][^\n:]{0,60}): /u;
const ENDS_IN_QUESTION = /[?？؟][^\p{L}\p{N}?？؟]{0,20}$/u;
const BEGINS_AS_QUESTION =
  /^(?:what|who|whose|where|when|why|which|how|do|does|did|is|are|was|were|can|could|has|have|wer|was|wo|wann|warum|wie|welche[rsnm]?|qui|où|quand|comment|pourquoi|quién|dónde|cuándo|cómo)(?!\p{L})/iu;

/** Sentences by which an assistant says that it has no answer, or that say nothing by themselves. */
const UNKNOWN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "I(?:['’]m| am) (?:not (?:sure|aware)|unable to)",
    "I (?:do|did|could|can)(?: ?not|n['’]t) (?:\\S{1,30} ){0,2}(?:know|find|remember|recall|see)",
    "I (?:do not|don['’]t) have (?:any |that |this |a )?(?:information|records?|notes?|memory|mention)",
    "(?:I have|I found|there (?:is|are)) no (?:information|records?|notes?|memory|memories|mention|results?)",
    "(?:ich weiß|weiß ich) (?:\\S{1,30} ){0,3}nicht",
    "(?:ich (?:habe|finde)|habe ich) (?:\\S{1,30} ){0,3}(?:nichts|keine? (?:Informationen?|Notiz(?:en)?|Angaben?|Erinnerung(?:en)?))",
    "je ne (?:le )?(?:sais|trouve) (?:pas|rien)|je n['’]ai (?:rien trouvé|aucune? (?:information|note|souvenir))",
    "no lo sé|no (?:he )?encontr(?:é|ado)|no tengo (?:información|notas|recuerdos)",
  ].join(
    "|",
  )})(?![\\p{L}\\p{N}])|^(?:sorry|(?:I['’]m|I am) sorry|unfortunately|leider|tut mir leid|désolée?|lo siento)[.!,]?$`,
  "iu",
);

/**
 * Returns whether a passage of a conversation has nothing but questions, and answers of the assistant
 * that say that it does not know.
 */
function onlyAsks(text: string, question: string): boolean {
  const asked = wordsBetweenSpaces(question);
  const isQuestion = ENDS_IN_QUESTION.test(question) || BEGINS_AS_QUESTION.test(question);
  return messagesIn(text).every((message) => {
    const speaker = SPEAKER.exec(message)?.[1];
    return sentencesIn(message.replace(SPEAKER, "")).every((sentence) => {
      const words = wordsBetweenSpaces(sentence);
      if (words === "" || (isQuestion && words === asked)) return true;
      if (tells(sentence, asked)) return false;
      return ENDS_IN_QUESTION.test(sentence) || (speaker === "assistant" && UNKNOWN.test(sentence));
    });
  });
}

const TOKEN = /[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /^\p{N}/u;
/** Matches a word with a capital letter, but not "I". */
const CAPITAL = /^\p{Lu}[\p{L}\p{M}\p{N}]/u;

/**
 * Returns whether a sentence has a number, or a word with a capital letter after its first, that the
 * question does not have: "Could you note that my flight to Oslo leaves at 7:40?" tells something.
 */
function tells(sentence: string, asked: string): boolean {
  const tokens = sentence.match(TOKEN) ?? [];
  return tokens.some((token, at) => {
    const isMarked = NUMBER.test(token) || (at > 0 && CAPITAL.test(token));
    return isMarked && !asked.includes(wordsBetweenSpaces(token));
  });
}
