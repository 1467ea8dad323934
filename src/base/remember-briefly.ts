/**
 * Returns a function that remembers the answer about a thing for `keptMs`. Callers share the answer
 * during this time, also while it is still under way. A question that failed is asked again.
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
