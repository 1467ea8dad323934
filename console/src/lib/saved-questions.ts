/** A question and the place where its answer stands. */
export interface SavedQuestion {
  question: string;
  path: string;
  savedAt: string;
}

const keyOf = (agent: string) => `recollect.questions.${agent}`;

export function savedQuestions(agent: string): SavedQuestion[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(agent)) ?? "[]");
    return Array.isArray(stored) ? (stored as SavedQuestion[]) : [];
  } catch {
    return [];
  }
}

export function saveQuestions(agent: string, questions: readonly SavedQuestion[]): void {
  localStorage.setItem(keyOf(agent), JSON.stringify(questions));
}
