/** Does it the first time, and nothing from then on: what gives a place back must not give back another's. */
export function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
