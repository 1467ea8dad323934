/**
 * Returns a function that acts on its first call only: a function that gives back a place must not
 * give back another caller's place.
 */
export function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
