import { fold } from "../../base/fold.ts";
import { commonWordsOf } from "./question-words.ts";

/**
 * Words of questions that ask for a period and nothing else, beside the common words of a language:
 * what happened or changed, what was done, said, written and planned.
 */
const GENERIC: ReadonlySet<string> = new Set(
  fold(
    "change changes changed happen happens happened happening occur occurred going events anything everything notes note entries entry day days week " +
      "talk talked discuss discussed write wrote written summarise summarize summary list show tell remember conversations messages " +
      "andert anderte geandert verandert veranderte passiert passierte geschah geschehen gemacht ereignis ereignisse notizen besprochen geredet geschrieben tag woche zeig zeige " +
      "change changement changements arrive passe choses notes parle ecrit montre " +
      "cambio cambios cambiado paso pasaba ocurrio hice hicimos hizo hemos dije dijimos hablamos notas eventos cosas muestra " +
      "cambiato cambiata cambiamenti successo accaduto fatto facevo abbiamo parlato scritto note cose mostra " +
      "mudou mudado mudancas aconteceu fiz fizemos feito disse falamos notas coisas mostra " +
      "veranderd veranderde gewijzigd gebeurd gebeurde gedaan deed besproken gezegd notities dingen " +
      "andrats andrades andrat endret endrede aendret hande hant gjorde gjort pratade skrev sket skete skjedde lavede lavet " +
      "zmieniło zmieniono stało robiłem robiłam robiliśmy zrobiłem zdarzyło wydarzyło działo było " +
      "изменилось изменили змінилося случилось произошло делал делала делали сделал сделали было говорили обсуждали сталося робив робила " +
      "last past dernier derniere pasado pasada passado passada scorso scorsa letzte letzten",
  ).split(" "),
);

/** The characters of such questions in Japanese, Chinese and Korean. */
const UNSPACED =
  /^(?:[\p{Script=Hiragana}何話事件私僕達発生了什么麼我们們做过過的事情有哪些说說发發在是嗎吗起出来來日週周]|무엇|뭐|뭘|했|어|었|나요|어요|있었|무슨|일|에|는|은|를|을|이|가|지|니)*$/u;
const WORD = /[\p{L}\p{M}]+/gu;

/**
 * Returns whether a question, without the words that name its period, has only common words.
 *
 * @param text folded
 */
export function isGeneric(text: string, languages: readonly string[]): boolean {
  const common = languages.map((language) => foldedCommonWords(language));
  return (text.match(WORD) ?? []).every(
    (word) => GENERIC.has(word) || common.some((words) => words.has(word)) || UNSPACED.test(word),
  );
}

/** Returns a text without the words that ask for a period and nothing else, such as "happened". */
export function withoutGeneric(text: string): string {
  return text.replace(WORD, (word) => (GENERIC.has(word) ? " " : word));
}

const folded = new Map<string, ReadonlySet<string>>();

function foldedCommonWords(language: string): ReadonlySet<string> {
  const known = folded.get(language);
  if (known) return known;
  const words = new Set([...commonWordsOf(language)].map(fold));
  folded.set(language, words);
  return words;
}
