import pg from "pg";
import { type AnswerWatch, type IsRunning, watchAnswers } from "./answer-watch.ts";
import { createLaneQueue, type LaneQueue, type QueuedLane } from "./lane-queue.ts";
import type { PgLimits } from "./pg-limits.ts";
import { PreparedStatements } from "./prepared-statements.ts";

/** A connection that is one caller's until it is given back. */
export interface Connection {
  readonly client: pg.PoolClient;
  readonly statements: PreparedStatements;
  readonly watch: AnswerWatch;
  /** What outlives a transaction on it. */
  readonly session: Session;
  /** Why it ended while it was taken and nothing ran on it; undefined while it lives. */
  lost(): Error | undefined;
  /** Gives it back. One that is lost, or has a transaction open still, is closed and replaced. */
  release(lost?: Error): void;
}

export interface Session {
  /** The time limit of statements outside transactions, as far as it was set. */
  limitMs?: number;
}

/** The work that a connection is taken for. */
export interface Taker {
  /** The agent whose tables the statements are about. */
  agent?: string | undefined;
  /** The server of a cluster that has the agent. */
  node?: string | undefined;
  /** The tenant on whose behalf; undefined for the service's own work. */
  tenant?: string | undefined;
  /** The caller holds a connection already. */
  isNested?: boolean | undefined;
}

export interface Connections {
  /**
   * Takes a free connection. An agent gets one that knows it, if such a one is free within a few milliseconds. Neither a tenant nor a
   * node of a cluster holds more than its share (lane-queue.ts).
   *
   * @throws AppError `database_busy` when none is free in time; Error when the server does not accept one in time
   */
  take(taker: Taker): Promise<Connection>;
  stats(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/**
 * Agents that one connection gets to know, each some 250 kB of its server process. With so many it is replaced: nothing else makes its
 * server process forget what it remembers of tables.
 */
const MAX_AGENTS = 1000;
/** A new connection knows nothing of any agent. */
const IDLE_MS = 300_000;

/** A pool of one, so that it is known who gets which connection. */
interface Lane extends QueuedLane {
  readonly pool: pg.Pool;
  /** Undefined before the first connection and after one was closed. */
  link: Link | undefined;
}

/** What is known of one connection to the server. */
interface Link {
  readonly client: pg.ClientBase;
  readonly statements: PreparedStatements;
  readonly watch: AnswerWatch;
  readonly session: Session;
  /** The agents whose tables its server process has met. */
  readonly agents: Set<string>;
}

export interface ConnectionOptions {
  pool: pg.PoolConfig & { max: number };
  /** Whether a pooler stands between, so that a connection has another process of the server in each transaction. */
  isPooled: boolean;
  limits: PgLimits;
  /** Asks the server whether a statement still runs. */
  isRunning: IsRunning;
  onIdleError: (error: Error) => void;
  /** A connection was closed because nothing came of the server. */
  onNoAnswer: () => void;
}

/**
 * Connections with affinity: an agent comes back to those that know it. Searches of a thousand agents that any free connection
 * served took Postgres nearly twice the time (docs/BENCHMARKS.md). An agent begins with one connection, by its name. When those
 * that know it are busy for longer than a moment another gets to know it, so a busy agent has many.
 */
export function openConnections(options: ConnectionOptions): Connections {
  const { pool, limits } = options;
  const lanes = Array.from({ length: pool.max }, (): Lane => openLane(options, () => tryIdle(0)));
  const queue = createLaneQueue(lanes, limits);
  const tryIdle = (restMs: number) => {
    for (const lane of lanes) tryLane(lane, restMs, limits, queue);
  };
  const timer = setInterval(() => tryIdle(limits.restMs), limits.restMs);
  timer.unref();
  const take = async ({ agent, node, tenant, isNested = false }: Taker): Promise<Connection> => {
    const first = agent === undefined ? 0 : numberOf(agent) % lanes.length;
    const suits = (lane: Lane) => agent === undefined || lane === lanes[first] || lane.link?.agents.has(agent) === true;
    const { lane, giveBack } = await queue.take({ suits, first, tenant, node, isNested });
    try {
      return await connectionOf(lane, giveBack, agent, limits);
    } catch (error) {
      giveBack();
      throw error;
    }
  };
  const count = (isCounted: (lane: Lane) => boolean) => lanes.filter(isCounted).length;
  return {
    take,
    stats: () => ({
      busy: count((lane) => lane.isTaken),
      idle: count((lane) => !lane.isTaken && lane.pool.totalCount > 0),
      waiting: queue.waiting(),
    }),
    close: async () => {
      clearInterval(timer);
      await Promise.all(lanes.map((lane) => lane.pool.end()));
    },
  };
}

async function connectionOf(
  lane: Lane,
  giveBack: () => void,
  agent: string | undefined,
  { rollbackMs }: PgLimits,
): Promise<Connection> {
  const client = await lane.pool.connect();
  const { link } = lane;
  if (!link) throw new Error("The pool announced no connection.");
  let lost: Error | undefined;
  // The pool listens to idle clients only: without this one a backend that ends in mid-transaction would end the process.
  const onError = (error: Error) => {
    // The first says why; the second only that the connection has ended.
    lost ??= error;
  };
  client.on("error", onError);
  const { statements, watch, session, agents } = link;
  if (agent !== undefined) agents.add(agent);
  statements.closeForgotten(client);
  const release = (error?: Error) => {
    client.removeListener("error", onError);
    const reason = error ?? lost ?? isWorn(link);
    client.release(reason);
    // The server is told that the connection ends. A network that loses that must not keep the socket.
    if (reason) setTimeout(() => client.connection.stream.destroy(), rollbackMs).unref();
    giveBack();
  };
  return { client, statements, watch, session, lost: () => lost, release };
}

/**
 * Asks something of an idle connection. One that a balancer or a firewall has dropped in silence is found and replaced before a request
 * meets it. Nobody else has the connection meanwhile: what comes late of a network that lost a part would be taken for the next answer.
 */
function tryLane(lane: Lane, restMs: number, { tryMs }: PgLimits, queue: LaneQueue<Lane>): void {
  const { link } = lane;
  if (!link || lane.isTaken || performance.now() - link.watch.heardAt() < restMs) return;
  const { giveBack } = queue.hold(lane);
  const sql = "SELECT 1";
  void link.watch
    .expect(link.client.query(sql), tryMs, sql)
    .catch(() => undefined)
    .finally(giveBack);
}

function openLane(options: ConnectionOptions, tryOthers: () => void): Lane {
  const { pool: config, limits, isPooled, isRunning, onIdleError, onNoAnswer } = options;
  const timeouts = { connectionTimeoutMillis: limits.connectMs, idleTimeoutMillis: IDLE_MS };
  const pool = new pg.Pool({ ...config, ...timeouts, max: 1 });
  const onLost = () => {
    onNoAnswer();
    // What has swallowed one connection has probably swallowed others.
    tryOthers();
  };
  const lane: Lane = { pool, isTaken: false, link: undefined };
  pool.on("connect", (client) => {
    const watch = watchAnswers(client, limits, isRunning, onLost);
    if (!isPooled) watch.pid = (client as unknown as { processID: number }).processID;
    lane.link = { client, watch, statements: new PreparedStatements(), session: {}, agents: new Set() };
  });
  pool.on("remove", (client) => {
    if (lane.link?.client === client) lane.link = undefined;
  });
  // Without a listener an idle connection that the server closes would end the process.
  pool.on("error", onIdleError);
  return lane;
}

function isWorn({ agents }: Link): boolean {
  return agents.size >= MAX_AGENTS;
}

function numberOf(text: string): number {
  let number = 0;
  for (let i = 0; i < text.length; i++) number = (Math.imul(number, 31) + text.charCodeAt(i)) >>> 0;
  return number;
}
