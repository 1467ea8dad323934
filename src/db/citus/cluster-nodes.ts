import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { AppError } from "../../base/errors.ts";
import { runOutsideContext } from "../../base/request-context.ts";
import type { SqlExecutor } from "../database.ts";
import { placeOf } from "./place-agents.ts";

/** How long after a failed answer a node is asked again. */
const RETRY_MS = 500;
/** After this time a transaction may be waiting for a silent node, so the node is asked. */
const SILENT_MS = 1000;
/** How long a node may take to answer a new connection. A node that answers is busy, not away. */
const ANSWER_MS = 3000;
/**
 * How often an answering node is asked because of one transaction, and because of all transactions.
 */
const LOOK_MS = 5000;
const LOOK_AGAIN_MS = 1000;
/**
 * How long an agent's place is cached. Until then, an agent that has moved is counted and watched
 * on its former node.
 */
const PLACE_TTL_MS = 60_000;
const MAX_PLACES = 20_000;

/**
 * The texts in which Citus names the node when a connection to it cannot be opened, or has failed.
 * The error has no field for the node.
 */
const UNREACHABLE = /(?:remote node \S*@|connections to the node )(\S+:\d+)/;
const FAILED = /(?:connection marked as essential: |while executing command on )(\S+:\d+)/;

/** A transaction of an agent, while it may be waiting for the agent's node. */
export interface Visit {
  /** The node, as `host:port`; undefined when the cluster knows no place of the agent. */
  readonly node: string | undefined;
  /**
   * Checks the node again.
   *
   * @throws AppError `database_unavailable` when the node has been put aside since
   */
  check(): void;
  /**
   * Watches the node from now on.
   *
   * @param giveUp ends the transaction when its node is away
   */
  begin(giveUp: () => void): void;
  end(): void;
}

/** Whether a node accepts a connection; undefined: the coordinator did not say. */
export type NodeAnswer = boolean | undefined;

/**
 * Knows the workers of a cluster, and which workers do not answer. The coordinator notices within
 * seconds that a server is gone. It does not notice that a server is frozen, or cut off by its
 * network, while the connections to it stay open. Without this class, each request for an agent of
 * such a server would hold a connection of the pool that other agents need.
 */
export class ClusterNodes {
  readonly #sql: SqlExecutor;
  readonly #answers: (host: string, port: number) => Promise<NodeAnswer>;
  readonly #places = new LRUCache<string, string>({ max: MAX_PLACES, ttl: PLACE_TTL_MS });
  readonly #away = new Set<string>();
  readonly #looks = new Set<string>();
  /** The time of each node's last answer, by `performance.now()`. */
  readonly #answeredAt = new Map<string, number>();
  readonly #running = new Map<string, Set<() => void>>();
  #isClosed = false;

  /**
   * @param sql runs statements on the coordinator, outside transactions
   * @param answers asks the coordinator whether a node accepts a connection within the given
   *   milliseconds; true for a node that is no longer in the cluster; rejects when the coordinator
   *   does not say
   */
  constructor(sql: SqlExecutor, answers: (host: string, port: number, withinMs: number) => Promise<boolean>) {
    this.#sql = sql;
    this.#answers = (host, port) => answers(host, port, ANSWER_MS).catch(() => undefined);
  }

  /**
   * Admits a transaction of an agent. The agent's place is read once a minute, and each time while
   * a node is away, because the agent may have been moved away from that node.
   *
   * @throws AppError `database_unavailable` when the agent is on a node that is away
   */
  async visit(schema: string): Promise<Visit> {
    const node = await this.#nodeOf(schema);
    const check = () => {
      if (node !== undefined && this.#away.has(node)) throw nodeAway();
    };
    check();
    let stop: () => void = () => undefined;
    const begin = (giveUp: () => void) => {
      if (node !== undefined) stop = this.#watch(node, giveUp);
    };
    return { node, check, begin, end: () => stop() };
  }

  /** Puts aside the node that an error reports as unreachable, until the node answers. */
  note(error: unknown): void {
    const { message, where } = ((error as { cause?: unknown } | undefined)?.cause ?? {}) as Record<string, unknown>;
    const [, unreachable] = UNREACHABLE.exec(String(message)) ?? [];
    if (unreachable !== undefined) this.#putAside(unreachable);
    // Citus reports a statement that the node refuses with the same words, so the node is asked
    // first.
    const [, failed] = FAILED.exec(`${message} ${where}`) ?? [];
    if (failed !== undefined) void this.#look(failed);
  }

  close(): void {
    this.#isClosed = true;
  }

  async #nodeOf(schema: string): Promise<string | undefined> {
    const known = this.#away.size === 0 ? this.#places.get(schema) : undefined;
    if (known !== undefined) return known;
    const place = await placeOf(this.#sql, schema);
    if (!place) return undefined;
    const node = `${place.host}:${place.port}`;
    this.#places.set(schema, node);
    return node;
  }

  /**
   * Asks the node at intervals while a transaction runs on it.
   *
   * @returns a function that ends the watch
   */
  #watch(node: string, giveUp: () => void): () => void {
    const running = this.#running.get(node) ?? new Set();
    this.#running.set(node, running.add(giveUp));
    const look = () => {
      timer = setTimeout(look, LOOK_MS);
      timer.unref();
      void this.#look(node);
    };
    let timer = setTimeout(look, SILENT_MS);
    timer.unref();
    return () => {
      clearTimeout(timer);
      running.delete(giveUp);
      if (running.size === 0 && this.#running.get(node) === running) this.#running.delete(node);
    };
  }

  /**
   * Asks a node whether it answers. One question serves all transactions, and a node that has
   * answered is not asked again for a second.
   */
  async #look(node: string): Promise<void> {
    const hasAnswered = performance.now() - (this.#answeredAt.get(node) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS;
    if (hasAnswered || this.#looks.has(node) || this.#away.has(node) || this.#isClosed) return;
    this.#looks.add(node);
    const does = await this.#ask(node);
    this.#looks.delete(node);
    if (does !== false) return;
    this.#giveUp(node);
    this.#putAside(node);
  }

  /**
   * Asks outside the context of the request that met the node, so that the question does not count
   * towards its tenant's share of connections.
   */
  async #ask(node: string): Promise<NodeAnswer> {
    const colon = node.lastIndexOf(":");
    const does = await runOutsideContext(() => this.#answers(node.slice(0, colon), Number(node.slice(colon + 1))));
    if (does) this.#answeredAt.set(node, performance.now());
    return does;
  }

  /** Ends the transactions that wait for a silent node. */
  #giveUp(node: string): void {
    const running = [...(this.#running.get(node) ?? [])];
    this.#running.delete(node);
    for (const giveUp of running) giveUp();
  }

  /**
   * Refuses new transactions of a node until it answers. Running transactions go on unless the node
   * is silent: a node that refuses new connections may still serve its existing ones.
   */
  #putAside(node: string): void {
    if (this.#away.has(node)) return;
    this.#away.add(node);
    this.#places.clear();
    void this.#untilBack(node).finally(() => this.#away.delete(node));
  }

  async #untilBack(node: string): Promise<void> {
    while (!this.#isClosed) {
      const does = await this.#ask(node);
      if (does) return;
      if (does === false) this.#giveUp(node);
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

function nodeAway(): AppError {
  return new AppError(
    "database_unavailable",
    "The server that has this agent cannot be reached right now; try again in a moment.",
  );
}
