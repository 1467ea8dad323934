import { createCounts } from "./counts.ts";
import { currentContext } from "./request-context.ts";

/** How a task takes its turn in a lane. */
export interface Turn {
  signal?: AbortSignal | undefined;
  /** The most tasks of the caller's agent at once, if fewer than the lane's limit. */
  share?: number | undefined;
}

/**
 * Limits the tasks that run at once, and shares the lane fairly between tenants. The request's
 * context names the tenant. Among the waiting tasks, each tenant has its turn after the other
 * tenants. Once two tenants have used a lane of several places, no tenant may hold all of them, so
 * a tenant whose tasks hang leaves a place to the others.
 */
export interface FairLane {
  /** Runs the task when its turn comes; rejects with the signal's reason if that comes first. */
  run<T>(task: () => Promise<T>, turn?: Turn): Promise<T>;
}

interface Waiter {
  readonly tenant: string;
  readonly agent: string;
  /** The most tasks of the agent at once. */
  readonly share: number;
  start(): void;
}

/**
 * Creates a lane.
 *
 * @param limit the most tasks at once
 */
export function createFairLane(limit: number): FairLane {
  const queue = createQueue();
  const [tenants, agents] = [createCounts(), createCounts()];
  let active = 0;
  let [known, isShared]: [string | undefined, boolean] = [undefined, false];

  const count = ({ tenant, agent }: Waiter, more: number) => {
    active += more;
    tenants.add(tenant, more);
    agents.add(agent, more);
  };
  const isFree = ({ tenant, agent, share }: Waiter) =>
    tenants.of(tenant) < (isShared ? Math.max(1, limit - 1) : limit) && agents.of(agent) < share;
  const advance = () => {
    while (active < limit) {
      const waiter = queue.take(isFree);
      if (!waiter) return;
      count(waiter, 1);
      waiter.start();
    }
  };
  return {
    run: async (task, { signal, share = limit } = {}) => {
      signal?.throwIfAborted();
      const { tenantId: tenant = "", agentId = "" } = currentContext() ?? {};
      // The service's own requests, such as at its start, belong to no tenant.
      if (tenant !== "") {
        known ??= tenant;
        isShared ||= known !== tenant;
      }
      const { promise: turn, resolve: start, reject } = Promise.withResolvers<void>();
      const waiter: Waiter = { tenant, agent: `${tenant} ${agentId}`, share: Math.max(1, share), start };
      const abort = () => {
        if (queue.leave(waiter)) reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      queue.join(waiter);
      advance();
      await turn.finally(() => signal?.removeEventListener("abort", abort));
      try {
        return await task();
      } finally {
        count(waiter, -1);
        advance();
      }
    },
  };
}

/** Creates a queue of waiters by tenant. The tenant whose turn is next comes first. */
function createQueue() {
  const waiting = new Map<string, Set<Waiter>>();
  const leave = (waiter: Waiter): boolean => {
    const own = waiting.get(waiter.tenant);
    const isThere = own?.delete(waiter) ?? false;
    if (own?.size === 0) waiting.delete(waiter.tenant);
    return isThere;
  };
  return {
    leave,
    join: (waiter: Waiter) => void waiting.set(waiter.tenant, (waiting.get(waiter.tenant) ?? new Set()).add(waiter)),
    take: (isFree: (waiter: Waiter) => boolean): Waiter | undefined => {
      for (const [tenant, own] of waiting)
        for (const waiter of own) {
          if (!isFree(waiter)) continue;
          leave(waiter);
          // The tenant's other tasks come after the tasks of every other tenant that waits.
          if (waiting.delete(tenant)) waiting.set(tenant, own);
          return waiter;
        }
      return undefined;
    },
  };
}
