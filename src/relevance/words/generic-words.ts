import { fold } from "../../base/fold.ts";
import { functionWordsOf } from "./function-words.ts";

/**
 * Words of questions that ask for a period and nothing else, beside the function words of a language:
 * what happened or changed, what was done, said, written and planned.
 */
const GENERIC: ReadonlySet<string> = new Set(
  fold(
    "change changes changed happen happens happened happening occur occurred going events anything everything notes note entries entry day days week " +
      "talk talked discuss discussed write wrote written summarise summarize summary list show tell remember conversations messages " +
      "go came come new news else thing things stuff everyone everybody anyone please recently lately learn learned learnt say said noted mention mentioned since ago until also still just " +
      "gesagt sagte sagten sagen getan tat dijo dijeron dicho hizo hicieron detto disse dissero dito fez zei zeiden " +
      "sa sade sagt sagde " +
      "сказал сказала сказали говорил говорила " +
      "neu neues los gab gibt quoi neuf nouveau nuevo novedades nuovo nuove novita cosa novo novidades nieuw nieuws " +
      "andert anderte geandert verandert veranderte passiert passierte geschah geschehen gemacht ereignis ereignisse notizen besprochen geredet geschrieben tag woche zeig zeige " +
      "change changement changements arrive passe fait faite faites faisait dit dite dits choses notes parle ecrit montre " +
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
 * Returns whether a question, without the words that name its period, has only function words and words
 * that ask for a period. "What did I buy in November?" asks for more: a list of all texts of November would
 * bury the answer.
 *
 * @param text folded
 */
export function isGeneric(text: string, languages: readonly string[]): boolean {
  const lists = languages.map(functionWordsOf);
  return (text.match(WORD) ?? []).every(
    (word) => GENERIC.has(word) || lists.some((words) => words.has(word)) || UNSPACED.test(word),
  );
}

/** Returns a text without the words that ask for a period and nothing else, such as "happened". */
export function withoutGeneric(text: string): string {
  return text.replace(WORD, (word) => (GENERIC.has(word) ? " " : word));
}
