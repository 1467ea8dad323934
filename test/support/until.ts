const LIMIT_MS = 240_000;
const POLL_MS = 25;

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
  const end = performance.now() + LIMIT_MS;
  while (!(await satisfied())) {
    if (performance.now() > end)
      throw new Error(`waited ${LIMIT_MS / 1000} s for ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function textOf(condition: () => unknown): string {
  return String(condition).replace(/^(async )?\(\) =>\s*/, "");
}
