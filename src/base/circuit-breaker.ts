import type { AppError } from "./errors.ts";

/** The decision whether a request may be made. */
interface Admission {
  /** Above zero, the request is refused: ask again after this many milliseconds. */
  readonly retryAfterMs: number;
  /** Whether this request alone decides if the provider is back. */
  readonly probe: boolean;
}

/**
 * Keeps requests from a provider that is down (Nygard, "Release It!", 2007). The breaker is closed,
 * then open, then half open for one probe.
 */
export interface CircuitBreaker {
  /**
   * Asks to make a request. An admitted caller must then call `succeeded`, `failed` or `abandoned`.
   */
  admit(): Admission;
  succeeded(): void;
  failed(error: AppError): void;
  /** Notes that the request ended without saying anything about the provider. */
  abandoned(admission: Admission): void;
  readonly open: boolean;
  /** The last failure since the last success. */
  readonly lastFailure: { readonly error: AppError; readonly agoMs: number } | undefined;
}

/**
 * Creates a circuit breaker.
 *
 * @param now returns milliseconds of a clock that only goes forward
 * @param threshold the failures in a row that open the breaker
 * @param openMs how long the breaker stays open before a probe
 */
export function createCircuitBreaker(now: () => number, threshold = 5, openMs = 30_000): CircuitBreaker {
  let failures = 0;
  let openedAt: number | undefined;
  let probing = false;
  let lastFailure: { error: AppError; at: number } | undefined;
  return {
    get open() {
      return openedAt !== undefined;
    },
    get lastFailure() {
      return lastFailure && { error: lastFailure.error, agoMs: now() - lastFailure.at };
    },
    admit: () => {
      if (openedAt === undefined) return { retryAfterMs: 0, probe: false };
      const rest = openedAt + openMs - now();
      if (rest > 0) return { retryAfterMs: Math.ceil(rest), probe: false };
      // The probe may be answered at any moment; a second is as good a guess as any.
      if (probing) return { retryAfterMs: 1000, probe: false };
      probing = true;
      return { retryAfterMs: 0, probe: true };
    },
    succeeded: () => {
      failures = 0;
      openedAt = undefined;
      probing = false;
      lastFailure = undefined;
    },
    failed: (error) => {
      lastFailure = { error, at: now() };
      failures++;
      if (openedAt === undefined && failures < threshold) return;
      openedAt = now();
      probing = false;
    },
    abandoned: (admission) => {
      if (admission.probe) probing = false;
    },
  };
}
