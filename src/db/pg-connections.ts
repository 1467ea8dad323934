import pg from "pg";
import { AppError } from "../base/errors.ts";
import { PreparedStatements } from "./prepared-statements.ts";

/** A connection that is one caller's until it is given back. */
export interface Connection {
  readonly client: pg.PoolClient;
  readonly statements: PreparedStatements;
  /** Why it ended while it was taken and nothing ran on it; undefined while it lives. */
  lost(): Error | undefined;
  /** Gives it back. One that is lost, or has a transaction open still, is closed and replaced. */
  release(lost?: Error): void;
}

export interface Connections {
  /**
   * A free connection: for an agent one that knows it, if such a one is free within a few milliseconds.
   *
   * @throws AppError `database_busy` when none is free for ten seconds; Error when the server does not answer in as long
   */
  take(agent?: string): Promise<Connection>;
  stats(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/**
 * Agents that one connection gets to know, each some 250 kB of its server process. With so many it is replaced: nothing else makes its
 * server process forget what it remembers of tables.
 */
const MAX_AGENTS = 1000;
const ACQUIRE_TIMEOUT_MS = 10_000;
const ALL_TAKEN =
  "All of this process's database connections are in use; try again in a moment. The operator raises RECOLLECT_DB_POOL.";
/** Longer than a search's transaction takes, and too short to be felt. */
const PREFERENCE_MS = 20;
/** A new connection knows nothing of any agent. */
const IDLE_MS = 300_000;

/** A pool of one, so that it is known who gets which connection. */
interface Lane {
  readonly pool: pg.Pool;
  isTaken: boolean;
  statements: PreparedStatements;
  /** Whose tables its server process has met. */
  agents: Set<string>;
}

interface Waiting {
  takes(lane: Lane): boolean;
  give(lane: Lane): void;
}

/**
 * Connections with affinity: an agent comes back to those that know it. Searches of a thousand agents that any free connection
 * served took Postgres nearly twice the time (docs/BENCHMARKS.md). An agent begins with one connection, by its name. When those
 * that know it are busy for longer than a moment another gets to know it, so a busy agent has many.
 *
 * @param options of each connection; `max` of them are opened at most
 */
export function openConnections(
  options: pg.PoolConfig & { max: number },
  onIdleError: (error: Error) => void,
): Connections {
  const lanes = Array.from({ length: options.max }, () => openLane(options, onIdleError));
  const queue = queueFor(lanes);
  const take = async (agent?: string): Promise<Connection> => {
    const own = agent === undefined ? 0 : numberOf(agent) % lanes.length;
    const suits = (lane: Lane) => agent === undefined || lane === lanes[own] || lane.agents.has(agent);
    const lane = await queue.free(suits, own);
    let lost: Error | undefined;
    // The pool listens to idle clients only: without this one a backend that ends in mid-transaction would end the process.
    const onError = (error: Error) => {
      // The first says why; the second only that the connection has ended.
      lost ??= error;
    };
    try {
      const client = await lane.pool.connect();
      client.on("error", onError);
      if (agent !== undefined) lane.agents.add(agent);
      lane.statements.closeForgotten(client);
      const release = (error?: Error) => {
        client.removeListener("error", onError);
        client.release(error ?? lost ?? isWorn(lane));
        queue.giveBack(lane);
      };
      return { client, statements: lane.statements, lost: () => lost, release };
    } catch (error) {
      queue.giveBack(lane);
      throw error;
    }
  };
  const count = (isCounted: (lane: Lane) => boolean) => lanes.filter(isCounted).length;
  return {
    take,
    stats: () => ({
      busy: count((lane) => lane.isTaken),
      idle: count((lane) => !lane.isTaken && lane.pool.totalCount > 0),
      waiting: queue.length(),
    }),
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.pool.end()));
    },
  };
}

/** Who waits for which lane: for one that suits at first, then for any. Of those whom a lane suits the first to come gets it. */
function queueFor(lanes: readonly Lane[]) {
  const waiting = new Set<Waiting>();
  const takeFree = (suits: (lane: Lane) => boolean, first: number) => {
    const isRight = (lane: Lane) => !lane.isTaken && suits(lane);
    const lane = lanes.slice(first).find(isRight) ?? lanes.slice(0, first).find(isRight);
    if (lane) lane.isTaken = true;
    return lane;
  };
  const wait = (suits: (lane: Lane) => boolean, first: number) =>
    new Promise<Lane>((resolve, reject) => {
      let takes = suits;
      const settle = (run: () => void) => {
        clearTimeout(timer);
        waiting.delete(one);
        run();
      };
      const one: Waiting = { takes: (lane) => takes(lane), give: (lane) => settle(() => resolve(lane)) };
      const giveUp = () => settle(() => reject(new AppError("database_busy", ALL_TAKEN)));
      const takeAny = () => {
        timer = setTimeout(giveUp, ACQUIRE_TIMEOUT_MS);
        takes = () => true;
        const free = takeFree(takes, first);
        if (free) one.give(free);
      };
      let timer = setTimeout(takeAny, PREFERENCE_MS);
      waiting.add(one);
    });
  return {
    /** A lane that suits, or after a moment any; they are looked at from `first` on. */
    free: async (suits: (lane: Lane) => boolean, first: number) => takeFree(suits, first) ?? wait(suits, first),
    giveBack: (lane: Lane) => {
      const next = [...waiting].find((one) => one.takes(lane));
      if (next) next.give(lane);
      else lane.isTaken = false;
    },
    length: () => waiting.size,
  };
}

function openLane(options: pg.PoolConfig, onIdleError: (error: Error) => void): Lane {
  const timeouts = { connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS, idleTimeoutMillis: IDLE_MS };
  const pool = new pg.Pool({ ...options, ...timeouts, max: 1 });
  const lane: Lane = { pool, isTaken: false, statements: new PreparedStatements(), agents: new Set() };
  pool.on("connect", () => {
    lane.statements = new PreparedStatements();
    lane.agents = new Set();
  });
  // Without a listener an idle connection that the server closes would end the process.
  pool.on("error", onIdleError);
  return lane;
}

function isWorn({ agents }: Lane): boolean {
  return agents.size >= MAX_AGENTS;
}

function numberOf(text: string): number {
  let number = 0;
  for (let i = 0; i < text.length; i++) number = (Math.imul(number, 31) + text.charCodeAt(i)) >>> 0;
  return number;
}
