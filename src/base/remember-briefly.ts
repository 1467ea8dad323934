/**
 * Remembers what was answered about a thing for so long. Whoever asks meanwhile shares the answer, also one under way; a
 * question that failed is asked again.
 */
export function rememberBriefly<Thing extends object, Answer>(keptMs: number) {
  const answers = new WeakMap<Thing, { at: number; answer: Promise<Answer> }>();
  return (thing: Thing, ask: () => Promise<Answer>): Promise<Answer> => {
    const last = answers.get(thing);
    if (last && performance.now() - last.at < keptMs) return last.answer;
    const answer = ask();
    answers.set(thing, { at: performance.now(), answer });
    answer.catch(() => answers.delete(thing));
    return answer;
  };
}
