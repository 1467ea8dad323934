import { createCounts } from "../../base/counts.ts";
import { AppError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import { MAX_SMALL_BODY_BYTES } from "../schemas.ts";

/** The memory that request bodies hold in this process: per key, per tenant and in all. */
export interface BodyMemory {
  /** The most bytes that one key may hold. A longer body never gets room. */
  readonly most: number;
  /**
   * Waits for room for a body before it is read.
   *
   * @returns a function that gives the room back
   * @throws AppError `rate_limited` when the key or tenant holds too much already, `overloaded`
   *   when all bodies together do
   */
  take(holder: BodyHolder, bytes: number): Promise<() => void>;
}

/** The tenant and key that a body belongs to. */
export interface BodyHolder {
  readonly tenantId: string;
  readonly actor: string;
}

/**
 * The shares of the memory for a tenant (a quarter) and for a key (an eighth), so that none takes
 * the room of the others.
 */
const [OF_TENANT, OF_KEY] = [1 / 4, 1 / 8];
/**
 * The share that large bodies may fill. They leave the rest free, so that searches are answered
 * during uploads.
 */
const OF_LARGE = 3 / 4;
/**
 * The longest wait for room: as long as a client may reasonably wait instead of trying again. A
 * waiting request costs a connection, but no memory.
 */
const MAX_WAIT_MS = 30_000;
/** The most requests of a tenant that may wait. */
const MAX_WAITING = 100;
const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  readonly holder: BodyHolder;
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * Creates the account of the memory that request bodies hold.
 *
 * @param totalBytes the most bytes of all bodies together. A key gets an eighth of them, so they
 *   must be at least eight times the largest body
 */
export function createBodyMemory(totalBytes: number, maxWaitMs = MAX_WAIT_MS): BodyMemory {
  const held = createCounts();
  const waiting = new Set<Waiting>();
  const shares = ({ tenantId, actor }: BodyHolder, bytes: number): [name: string, most: number][] => [
    [`${tenantId} ${actor}`, totalBytes * OF_KEY],
    [tenantId, totalBytes * OF_TENANT],
    ["", bytes > MAX_SMALL_BODY_BYTES ? totalBytes * OF_LARGE : totalBytes],
  ];
  const fullShare = (holder: BodyHolder, bytes: number) =>
    shares(holder, bytes).find(([name, most]) => held.of(name) + bytes > most)?.[0];
  const hold = (holder: BodyHolder, bytes: number) => {
    for (const [name] of shares(holder, bytes)) held.add(name, bytes);
  };
  const reserve = (holder: BodyHolder, bytes: number) => {
    hold(holder, bytes);
    return once(() => {
      hold(holder, -bytes);
      // Requests start in order, but a request that now has room does not wait for an earlier one
      // that has none.
      for (const one of waiting) if (fullShare(one.holder, one.bytes) === undefined) one.start();
    });
  };
  return {
    most: totalBytes * OF_KEY,
    take: (holder, bytes) => {
      const full = fullShare(holder, bytes);
      if (full === undefined) return Promise.resolve(reserve(holder, bytes));
      const ofTenant = [...waiting].filter((one) => one.holder.tenantId === holder.tenantId);
      if (ofTenant.length >= MAX_WAITING) return Promise.reject(refusal(full));
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          waiting.delete(one);
        };
        const one: Waiting = {
          holder,
          bytes,
          start: () => {
            end();
            resolve(reserve(holder, bytes));
          },
        };
        const timer = setTimeout(() => {
          end();
          reject(refusal(fullShare(holder, bytes) ?? full));
        }, maxWaitMs);
        waiting.add(one);
      });
    },
  };
}

function refusal(share: string): AppError {
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  if (share === "")
    return new AppError("overloaded", "The server holds as many large requests as it can; try again soon.", {
      details,
    });
  const whose = share.includes(" ") ? "key" : "tenant";
  return new AppError(
    "rate_limited",
    `This ${whose} has too much data under way; send fewer or smaller requests at a time, and try again soon.`,
    { details },
  );
}

/** Room for one body, which may grow. */
export interface Room {
  /**
   * Waits until the room is at least this large.
   *
   * @throws AppError as `BodyMemory.take`
   */
  atLeast(bytes: number): Promise<void>;
  free(): void;
}

/**
 * Makes room that at least doubles when it grows, so that a body of unknown length rarely asks for
 * more.
 */
export function createRoom(memory: BodyMemory, holder: BodyHolder): Room {
  const given: (() => void)[] = [];
  let has = 0;
  return {
    atLeast: async (bytes) => {
      if (bytes <= has) return;
      const more = has === 0 ? bytes : Math.max(bytes - has, has);
      given.push(await memory.take(holder, more));
      has += more;
    },
    free: () => {
      for (const free of given.splice(0)) free();
    },
  };
}
