import { AppError } from "../base/errors.ts";
import { createShares, type LaneCaller, SERVICE } from "./lane-shares.ts";

/** A place in the pool, which one caller holds at a time. */
export interface QueuedLane {
  isTaken: boolean;
}

export interface LaneRequest<Lane> extends LaneCaller {
  /** Whether the caller prefers this lane. */
  suits(lane: Lane): boolean;
  /** The index of the lane to look at first. */
  first: number;
}

export interface LaneQueueOptions {
  waitMs: number;
  /** The most callers of one tenant that may wait. */
  maxWaiting: number;
}

export interface LaneQueue<Lane> {
  /** @throws AppError `database_busy` */
  take(request: LaneRequest<Lane>): Promise<Held<Lane>>;
  /** Takes a free lane for the service's own work. */
  hold(lane: Lane): Held<Lane>;
  waiting(): number;
}

/** A lane that a caller holds until it gives the lane back. */
export interface Held<Lane> {
  readonly lane: Lane;
  giveBack(): void;
}

/**
 * How long a caller waits for a preferred lane: longer than a search's transaction takes, and too
 * short to notice.
 */
const PREFERENCE_MS = 20;
const RETRY_AFTER_SECONDS = 2;

interface Waiting<Lane> extends LaneCaller {
  takes(lane: Lane): boolean;
  give(lane: Lane): void;
}

/**
 * Creates a queue that gives lanes to callers. No tenant, and no node of a cluster, holds more than
 * its share (lane-shares.ts). A caller waits briefly for a lane that suits it, then for any lane. A
 * lane that is given back goes to the caller whose tenant holds the fewest lanes; equal tenants
 * take turns, and the callers of one tenant are served in order. A caller that waits for its share
 * takes nothing from others.
 */
export function createLaneQueue<Lane extends QueuedLane>(
  lanes: readonly Lane[],
  options: LaneQueueOptions,
): LaneQueue<Lane> {
  const waiting = new Set<Waiting<Lane>>();
  const shares = createShares(lanes.length);
  const hold = (lane: Lane, caller: LaneCaller): Held<Lane> => {
    lane.isTaken = true;
    shares.hold(caller);
    const giveBack = () => {
      lane.isTaken = false;
      shares.giveBack(caller);
      handOut();
    };
    return { lane, giveBack };
  };
  const free = (takes: (lane: Lane) => boolean, first: number) => {
    const isRight = (lane: Lane) => !lane.isTaken && takes(lane);
    return lanes.slice(first).find(isRight) ?? lanes.slice(0, first).find(isRight);
  };
  // Looks at all free lanes. When a tenant gives a lane back, it may now take another lane for
  // which it had no share before.
  const handOut = () => {
    for (const lane of lanes) {
      if (lane.isTaken) continue;
      let next: Waiting<Lane> | undefined;
      for (const one of waiting)
        if (one.takes(lane) && shares.mayHold(one) && (next === undefined || shares.isBefore(one, next))) next = one;
      next?.give(lane);
    }
  };
  const wait = ({ suits, first, ...caller }: LaneRequest<Lane>) =>
    new Promise<Held<Lane>>((resolve, reject) => {
      let takes = suits;
      const settle = (run: () => void) => {
        clearTimeout(timer);
        waiting.delete(one);
        shares.wait(caller, -1);
        run();
      };
      const give = (lane: Lane) => settle(() => resolve(hold(lane, caller)));
      const one: Waiting<Lane> = { ...caller, takes: (lane) => takes(lane), give };
      const giveUp = () => settle(() => reject(new PoolBusy(shares.reason(caller))));
      const takeAny = () => {
        timer = setTimeout(giveUp, options.waitMs);
        takes = () => true;
        const lane = shares.mayHold(caller) ? free(takes, first) : undefined;
        if (lane) give(lane);
      };
      let timer = setTimeout(takeAny, PREFERENCE_MS);
      shares.wait(caller, 1);
      waiting.add(one);
    });
  return {
    take: async (request) => {
      shares.note(request);
      // When no further caller may wait, a lane that does not suit is better than none: the callers
      // that already wait may all be waiting for the share of one node.
      const isFull = shares.waiting(request) >= options.maxWaiting;
      const lane = shares.mayHold(request) ? free(isFull ? () => true : request.suits, request.first) : undefined;
      if (lane) return hold(lane, request);
      if (isFull) throw new PoolBusy(shares.reason(request));
      return wait(request);
    },
    hold: (lane) => hold(lane, SERVICE),
    waiting: () => waiting.size,
  };
}

/**
 * No connection became free in time. Nothing was asked of the database, and the same caller's next
 * request would fare no better.
 */
export class PoolBusy extends AppError {
  constructor(message: string) {
    super("database_busy", message, { details: { retryAfterSeconds: RETRY_AFTER_SECONDS } });
  }
}
