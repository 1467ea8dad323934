import pg from "pg";
import { type AnswerWatch, type IsRunning, watchAnswers } from "./answer-watch.ts";
import { createLaneQueue, type LaneQueue, type QueuedLane } from "./lane-queue.ts";
import type { PgLimits } from "./pg-limits.ts";
import { PreparedStatements } from "./prepared-statements.ts";

/** A connection that one caller holds until it releases it. */
export interface Connection {
  readonly client: pg.PoolClient;
  readonly statements: PreparedStatements;
  readonly watch: AnswerWatch;
  /** State that outlives a transaction on the connection. */
  readonly session: Session;
  /**
   * Returns the reason why the connection ended while it was taken and ran nothing; undefined while
   * it lives.
   */
  lost(): Error | undefined;
  /**
   * Gives the connection back. A connection that is lost, or still has an open transaction, is
   * closed and replaced.
   */
  release(lost?: Error): void;
}

export interface Session {
  /**
   * The time limit of statements outside transactions that was last set on the connection. The limit
   * of locks was set with it.
   */
  limitMs?: number;
}

/** The work that a connection is taken for. */
export interface Taker {
  /** The schema of the agent whose tables the statements use. */
  agent?: string | undefined;
  /** The server of a cluster that holds the agent. */
  node?: string | undefined;
  /** The caller's tenant; undefined for the service's own work. */
  tenant?: string | undefined;
  /** Whether the caller already holds a connection. */
  isNested?: boolean | undefined;
}

export interface Connections {
  /**
   * Takes a free connection. An agent gets a connection that knows its tables, if one is free
   * within a few milliseconds. Neither a tenant nor a node of a cluster holds more than its share
   * (lane-queue.ts).
   *
   * @throws AppError `database_busy` when none is free in time; Error when the server does not
   *   accept one in time
   */
  take(taker: Taker): Promise<Connection>;
  stats(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/**
 * The number of agents after which a connection is replaced. Its server process caches some 250 kB
 * about the tables of each agent, and only the end of the process frees them.
 */
const MAX_AGENTS = 1000;
/** How long an idle connection stays open. A new connection has nothing cached for any agent. */
const IDLE_MS = 300_000;
/** How long closing waits for statements that still run. Their connections are then cut off. */
const CLOSE_MS = 1000;

/** A pool of one connection, so that this file decides which caller gets which connection. */
interface Lane extends QueuedLane {
  readonly pool: pg.Pool;
  /** The lane's connection; undefined before the first one and after one was closed. */
  link: Link | undefined;
}

/** The state of one connection to the server. */
interface Link {
  readonly client: pg.ClientBase;
  readonly statements: PreparedStatements;
  readonly watch: AnswerWatch;
  readonly session: Session;
  /** The agents whose tables its server process has used. */
  readonly agents: Set<string>;
}

export interface ConnectionOptions {
  pool: pg.PoolConfig & { max: number };
  /**
   * Whether a pooler stands between, so that each transaction of a connection may run in another
   * server process.
   */
  isPooled: boolean;
  limits: PgLimits;
  /** Asks the server whether a statement still runs. */
  isRunning: IsRunning;
  onIdleError: (error: Error) => void;
  /** Called when a connection was closed because the server did not answer. */
  onNoAnswer: () => void;
}

/**
 * Opens a pool of connections with affinity: an agent returns to connections that know its tables.
 * When any free connection served the searches of a thousand agents, Postgres took nearly twice the
 * time (bench/notes/fleet.md, "Connections that know their agents"). The agent's name chooses its
 * first connection. When the connections that know an agent are busy for longer than a moment,
 * another connection serves it, so a busy agent has several connections.
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
      // A pool waits for its busy connections. A statement that builds an index may run for an hour,
      // and the process no longer needs its result.
      const givingUp = setTimeout(() => {
        for (const { link } of lanes) (link?.client as pg.Client | undefined)?.connection.stream.destroy();
      }, CLOSE_MS);
      await Promise.all(lanes.map((lane) => lane.pool.end())).finally(() => clearTimeout(givingUp));
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
  // The pool listens to idle clients only. Without this listener, a backend that ends in
  // mid-transaction would end the process.
  const onError = (error: Error) => {
    // The first error gives the reason. The second only says that the connection has ended.
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
    // `release` tells the server that the connection ends. If the network loses that message, the
    // socket must still be closed.
    if (reason) setTimeout(() => client.connection.stream.destroy(), rollbackMs).unref();
    giveBack();
  };
  return { client, statements, watch, session, lost: () => lost, release };
}

/**
 * Sends a query on an idle connection. This finds and replaces a connection that a load balancer or
 * a firewall has silently dropped, before a request uses it. No caller may have the connection
 * meanwhile: when a network loses a part of the traffic, a late answer would be taken for the
 * answer to the next statement.
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
    // The fault that swallowed this connection has probably swallowed others.
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
  // Without a listener, an idle connection that the server closes would end the process.
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
