import { anyOfWords } from "./any-of-words.ts";
import { commonWords } from "./question-words.ts";
import { isRequest, withoutRequest } from "./requests.ts";

/** The most characters of a message that can be small talk. */
const MAX_CHARS = 80;
/** The most words of a command that has a word of its own: "shorter please". */
const MAX_WORDS = 3;
const WORD = /[\p{L}\p{M}]+/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** The fewest letters of a script without spaces that say something. */
const LEAST_UNSPACED = 4;
const ASKS =
  /[?？؟]|^[¿\s]*(?:who|whom|whose|what|when|where|which|why|how|wer|wen|wem|was|wann|wo|welche[rmns]?|warum|wieso|wie|qui|que|quoi|quand|où|quel(?:le)?s?|pourquoi|comment|combien|quién|qué|cuándo|dónde|cuál|cómo|cuánto|chi|cosa|quando|dove|quale|perché|come|quanto|quem|onde|qual|wat|wanneer|waar|welke?|waarom|hoe|кто|что|когда|где|какой|какая|почему|как|сколько)(?![\p{L}\p{M}])/iu;
const SUM = /\p{N}/u;
/** Matches a day in numbers, and the day of a month: "2026-11-21", "21.11.", "the 24th". */
const DAY =
  /(?<![\p{L}\p{N}])(?:\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d)?|\d{1,2}(?:st|nd|rd|th)|(?<=\b(?:in|im|en|em|of|since) )(?:19|20)\d\d)(?![\p{L}\p{N}])/gu;
/** Greetings, thanks and answers that the lists of common words do not have. */
const PLEASANTRIES = new Set(
  `hi hello hey yo morning evening night bye goodbye cheers thanks thank thx ty cool great nice awesome perfect lovely
   kind love wow lol lmao haha hahaha hehe ok okay okey yep yeah yup nope nah sure fine agreed lgtm done stop wait cancel
   continue sorry please pls hallo moin servus guten gute morgen abend nacht tschüss danke dankeschön bitte super prima klasse genau stopp warte weiter
   bonjour bonsoir salut merci parfait oui non stop hola buenos días buenas noches gracias adiós vale perfecto listo ciao grazie prego perfetto
   olá obrigado obrigada tchau hoi bedankt dank doei привет спасибо пока ладно хорошо да нет стоп`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/**
 * Returns whether a message says too little to recall anything: a greeting, thanks, an assent, a
 * short command ("wait, stop", "can you make that shorter?"), a sum, a sign. A question is small talk only
 * if it is a sum: "what is 15 % of 240?". "Where do I live?" has only common words too.
 */
export function isSmallTalk(message: string): boolean {
  if (message.length > MAX_CHARS) return false;
  const text = isOfThisTalk(message) ? withoutRequest(message).replace(/\?\s*$/, "") : message;
  if (UNSPACED.test(text)) return (text.match(/\p{L}/gu) ?? []).length < LEAST_UNSPACED;
  const words = text.match(WORD) ?? [];
  const common = commonWords(
    words.map((word) => word.toLowerCase()),
    [],
  );
  const own = words.filter((word) => !PLEASANTRIES.has(word.toLowerCase()) && !common.has(word.toLowerCase()));
  if (hasCode(text)) return false;
  if (asksSomething(text)) return own.length === 0 && SUM.test(text.replaceAll(DAY, " ")) && !hasName(text);
  return own.length === 0 || (own.length === 1 && words.length <= MAX_WORDS && own[0] === own[0]?.toLowerCase());
}

/** Returns whether a message is a question: it has a question mark, or begins with a question word. */
export function asksSomething(message: string): boolean {
  return ASKS.test(message);
}

/** Matches the thing that a request about the present talk is for: "can you make that shorter?". */
const THIS = anyOfWords("this|that|it|these|those|das|dies|es|ça|cela|eso|esto|questo|quello|isso|isto|dit|dat");

/** Returns whether a message asks for work on what was just said. "Can you show me where I work?" does not. */
function isOfThisTalk(message: string): boolean {
  return isRequest(message) && THIS.test(message) && !ASKER.test(message);
}

const ASKER = anyOfWords("i|me|my|mine|we|us|our|who|what|when|where|which|why|how");

/** Returns whether a later word has a capital letter, as a name has. */
function hasName(message: string): boolean {
  return /\S\s+["'(]*\p{Lu}[\p{Ll}\p{Lu}]/u.test(message);
}

/** Returns whether a word joins letters with digits or signs, as identifiers do. */
function hasCode(message: string): boolean {
  return /\p{L}[_\-./#]?\p{N}|\p{N}\p{L}|\p{L}[_\-./#:]\p{L}/u.test(message);
}
