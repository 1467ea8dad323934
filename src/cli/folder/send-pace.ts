/**
 * How long a request may take. A request is one transaction, which a server with the embedded
 * database finishes before it answers the next search, and only finished requests show in the
 * progress.
 */
const AIM_MS = 4000;
/**
 * The bytes of the first requests, and the fewest of any later request. A request with fewer takes
 * hardly less time on a busy server, where each of its dozen statements waits for the statements of
 * other clients. With 32 kB a sync took three times as long.
 */
const LEAST_BYTES = 128_000;

/** Decides how much one request carries, from the time that earlier requests took. */
export interface SendPace {
  /** Returns the most bytes that the next request should carry. A larger file is sent alone. */
  bytes(): number;
  /** Learns from a request that was answered. */
  took(bytes: number, ms: number): void;
}

/**
 * Creates the pace of one upload.
 *
 * @param most the most bytes that a request may carry
 */
export function createSendPace(most: number): SendPace {
  let bytes = Math.min(LEAST_BYTES, most);
  return {
    bytes: () => bytes,
    took: (carried, ms) => {
      // A small request says little about a large one: the amount is doubled at most.
      if (ms <= AIM_MS) bytes = Math.min(most, Math.max(bytes, Math.min(2 * bytes, (carried * AIM_MS) / ms)));
      // Requests under way were cut before this one was measured, so each lowers the amount only to
      // its own share.
      else bytes = Math.max(Math.min(LEAST_BYTES, most), Math.min(bytes, (carried * AIM_MS) / ms));
    },
  };
}
