import { AppError } from "../base/errors.ts";

/**
 * Makes a call of a provider and says how it ended (`ok`, `aborted`, or the code of its error) and how many seconds it took.
 *
 * @throws what the call throws
 */
export async function measured<T>(
  call: () => Promise<T>,
  signal: AbortSignal | undefined,
  note: (outcome: string, seconds: number) => void,
): Promise<T> {
  const begun = performance.now();
  let outcome = "ok";
  try {
    return await call();
  } catch (error) {
    outcome = error instanceof AppError ? error.code : signal?.aborted ? "aborted" : "internal";
    throw error;
  } finally {
    note(outcome, (performance.now() - begun) / 1000);
  }
}
