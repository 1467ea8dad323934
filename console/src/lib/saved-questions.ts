import { storedList, storeList } from "./stored-list.ts";

/** A question and the path of its answer. */
export interface SavedQuestion {
  question: string;
  path: string;
  savedAt: string;
}

const keyOf = (agent: string) => `recollect.questions.${agent}`;

export function savedQuestions(agent: string): SavedQuestion[] {
  return storedList(keyOf(agent));
}

export function saveQuestions(agent: string, questions: readonly SavedQuestion[]): void {
  storeList(keyOf(agent), questions);
}
