import type { Asked } from "./ask-week.ts";
import { figuresOf, isAnswered, isDoubted, ratio, type Share, type WeekFigures } from "./figures.ts";
import { QUESTION_KINDS } from "./read-weeks.ts";

const COLUMNS: readonly [title: string, figure: keyof WeekFigures][] = [
  ["answer in 3 best hits", "found"],
  ["answer recalled", "recalled"],
  ["unrelated recalls", "recalledUnrelated"],
  ["no answer, none likely", "doubted"],
  ["answer scored likely", "certain"],
];

/** Returns a line for each week, one for all of them, and one for each kind of question. */
export function figureTable(asked: readonly Asked[]): string {
  const weeks = Map.groupBy(asked, (one) => one.week);
  const kinds = QUESTION_KINDS.map((kind) => [kind, asked.filter((one) => one.kind === kind)] as const);
  const rows = [...weeks, ["all", asked] as const, ...kinds.map(([kind, part]) => [`  ${kind}`, part] as const)];
  const head = ["week".padEnd(14), ...COLUMNS.map(([title]) => title.padStart(22))].join(" ");
  return [head, ...rows.map(([name, part]) => line(name, figuresOf(part)))].join("\n");
}

function line(name: string, figures: WeekFigures): string {
  return [name.padEnd(14), ...COLUMNS.map(([, figure]) => cell(figures[figure]).padStart(22))].join(" ");
}

function cell(share: Share): string {
  if (share.of === 0) return "–";
  return `${(100 * ratio(share)).toFixed(0)} % (${share.part}/${share.of})`;
}

/** Lists every question and message with a wrong result, and the result. */
export function failureList(asked: readonly Asked[]): string {
  return asked
    .flatMap((one) => failuresOf(one).map((what) => `${one.week}: ${what}: ${one.ask}${got(one)}`))
    .join("\n");
}

function failuresOf(one: Asked): string[] {
  if (one.kind === "unrelated") return one.block === "" ? [] : ["unrelated, yet recalled"];
  if (one.kind === "unanswered") return isDoubted(one) ? [] : ["no answer, yet likely"];
  return [...(one.found ? [] : ["not found"]), ...(one.recalled ? [] : ["not recalled"])];
}

function got(one: Asked): string {
  const answer = isAnswered(one) ? ` [${one.kind}: ${one.answer.join(" | ")}]` : "";
  const best = one.hits.slice(0, 3).map((hit) => `${hit.path} ${hit.score.toFixed(2)}${hit.holdsAnswer ? "*" : ""}`);
  return `${answer} — ${best.length === 0 ? "no hits" : best.join(", ")}`;
}
