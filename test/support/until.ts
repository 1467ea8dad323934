const LIMIT_MS = 240_000;
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;
/**
 * The pause between two looks, as a share of the time that has passed. A look often is a request
 * for an agent's status, which takes 24 ms of processor time on PGlite on a busy machine: at a fixed
 * 25 ms the looks took half a processor from the awaited work.
 */
const PAUSE_SHARE = 0.1;

/**
 * Repeats the condition until it holds.
 *
 * @param what names what is awaited, if the condition's own text does not say it
 * @throws Error that names what was awaited, before the test's own time-out would end it without an
 * explanation
 */
export async function until(
  satisfied: () => boolean | Promise<boolean>,
  what: string | (() => string) = () => textOf(satisfied),
): Promise<void> {
  const begun = performance.now();
  while (!(await satisfied())) {
    const passedMs = performance.now() - begun;
    if (passedMs > LIMIT_MS)
      throw new Error(`waited ${LIMIT_MS / 1000} s for ${typeof what === "string" ? what : what()}`);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, passedMs * PAUSE_SHARE));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function textOf(condition: () => unknown): string {
  return String(condition).replace(/^(async )?\(\) =>\s*/, "");
}
