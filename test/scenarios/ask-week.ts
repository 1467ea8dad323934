import { holdsAnswer } from "./holds-answer.ts";
import { agentPath, type Call } from "./live-week.ts";
import type { QuestionKind, Week } from "./read-weeks.ts";

/** The number of hits that an assistant reads before it answers. */
const BEST_HITS = 3;

export interface HitSeen {
  path: string;
  score: number;
  vectorScore?: number;
  textScore?: number;
  snippet: string;
  /** Whether the hit holds the answer, for a question that has one. */
  holdsAnswer: boolean;
}

/** The results of both tools for one message, with default settings. */
export interface Asked {
  week: string;
  /**
   * The kind of a question, or one of the two kinds of messages that nothing in the week answers.
   */
  kind: QuestionKind | "unanswered" | "unrelated";
  ask: string;
  answer: string[];
  hits: HitSeen[];
  /** Whether one of the three best hits holds the answer. */
  found: boolean;
  /** The score of the best hit, among these three, that holds the answer. */
  foundScore?: number;
  block: string;
  /** Whether the recalled block holds the answer. */
  recalled: boolean;
}

/**
 * Asks all questions and messages of a week, each once with `memory_search` and once with recall.
 */
export async function askWeek(call: Call, week: Week): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const { ask, kind, answer } of week.questions) asked.push(await askOne(call, week, kind, ask, answer));
  for (const ask of week.unanswered) asked.push(await askOne(call, week, "unanswered", ask, []));
  for (const ask of week.unrelated) asked.push(await askOne(call, week, "unrelated", ask, []));
  return asked;
}

async function askOne(call: Call, week: Week, kind: Asked["kind"], ask: string, answer: string[]): Promise<Asked> {
  const agent = agentPath(week);
  const { results } = await call<{ results: HitSeen[] }>("POST", `${agent}/tools/memory_search`, { query: ask });
  const { block } = await call<{ block: string }>("POST", `${agent}/recall`, { message: ask });
  const hits = results.map(({ path, score, vectorScore, textScore, snippet }) => ({
    path,
    score,
    snippet,
    ...(vectorScore === undefined ? {} : { vectorScore }),
    ...(textScore === undefined ? {} : { textScore }),
    holdsAnswer: holdsAnswer(snippet, answer),
  }));
  const first = hits.slice(0, BEST_HITS).find((hit) => hit.holdsAnswer);
  return {
    week: week.name,
    kind,
    ask,
    answer,
    hits,
    found: first !== undefined,
    ...(first === undefined ? {} : { foundScore: first.score }),
    block,
    recalled: holdsAnswer(block, answer),
  };
}
