import { AppError } from "../base/errors.ts";
import { createShares, type LaneCaller, SERVICE } from "./lane-shares.ts";

/** A place in the pool, which one caller holds at a time. */
export interface QueuedLane {
  isTaken: boolean;
}

export interface LaneRequest<Lane> extends LaneCaller {
  /** Whether a lane is one of those that the caller prefers. */
  suits(lane: Lane): boolean;
  /** The number of the lane to look at first. */
  first: number;
}

export interface LaneQueueOptions {
  waitMs: number;
  /** The most callers of one tenant that wait. */
  maxWaiting: number;
}

export interface LaneQueue<Lane> {
  /** @throws AppError `database_busy` */
  take(request: LaneRequest<Lane>): Promise<Held<Lane>>;
  /** Takes a lane that is free, for the service. */
  hold(lane: Lane): Held<Lane>;
  waiting(): number;
}

/** A lane, until it is given back. */
export interface Held<Lane> {
  readonly lane: Lane;
  giveBack(): void;
}

/** Longer than a search's transaction takes, and too short to be felt. */
const PREFERENCE_MS = 20;
const RETRY_AFTER_SECONDS = 2;

interface Waiting<Lane> extends LaneCaller {
  takes(lane: Lane): boolean;
  give(lane: Lane): void;
}

/**
 * Gives lanes to callers. No tenant, and no node of a cluster, holds more than its share (lane-shares.ts). A caller waits for a
 * lane that suits for a moment, then for any. A lane that is given back goes to the caller whose tenant holds the fewest, in turn
 * between equals, and among the callers of one tenant to the first. A caller that waits behind a share takes nothing from others.
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
  // All lanes that are free are looked at: one that is given back lets its tenant take another that it did not have a share for.
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
      // When as many wait as may, a lane that does not suit is better than none: they may all be behind the share of one node.
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

/** No connection came free in time. Nothing was asked of the database, and the same caller's next request would not fare better. */
export class PoolBusy extends AppError {
  constructor(message: string) {
    super("database_busy", message, { details: { retryAfterSeconds: RETRY_AFTER_SECONDS } });
  }
}
