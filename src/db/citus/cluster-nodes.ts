import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { AppError } from "../../base/errors.ts";
import { runOutsideContext } from "../../base/request-context.ts";
import type { SqlExecutor } from "../database.ts";
import { placeOf } from "./place-agents.ts";

/** How long after it did not answer a node is asked again. */
const RETRY_MS = 500;
/** After so long a transaction may be waiting for a silent node, so the node is asked. */
const SILENT_MS = 1000;
/** How long a node has to answer a new connection. A node that does answer is busy, not away. */
const ANSWER_MS = 3000;
/** How often a node that does answer is asked because of one transaction, and because of all of them. */
const LOOK_MS = 5000;
const LOOK_AGAIN_MS = 1000;
/** How long the place of an agent is believed. An agent that has moved meanwhile is counted and watched with its former node. */
const PLACE_TTL_MS = 60_000;
const MAX_PLACES = 20_000;

/** How Citus names the node in what it says of a connection that cannot be had, or that failed; it has no field of its own. */
const UNREACHABLE = /(?:remote node \S*@|connections to the node )(\S+:\d+)/;
const FAILED = /(?:connection marked as essential: |while executing command on )(\S+:\d+)/;

/** An agent's transaction, as long as it may be waiting for the agent's node. */
export interface Visit {
  /** The node, as `host:port`; undefined when the cluster knows no place of the agent. */
  readonly node: string | undefined;
  /** @throws AppError `database_unavailable` when the node has been put aside since */
  check(): void;
  /** Watches the node from now on. @param giveUp ends the transaction, whose node is away */
  begin(giveUp: () => void): void;
  end(): void;
}

/** Whether a node accepts a connection; undefined: the coordinator did not say. */
export type NodeAnswer = boolean | undefined;

/**
 * The workers of a cluster, and which of them do not answer. The coordinator notices within seconds that a server is gone. It does not
 * notice that a server is frozen, or cut off by its network, while the connections to it stay open. Without this class each request for an
 * agent of such a server would hold a connection of the pool, which other agents then lack.
 */
export class ClusterNodes {
  readonly #sql: SqlExecutor;
  readonly #answers: (host: string, port: number) => Promise<NodeAnswer>;
  readonly #places = new LRUCache<string, string>({ max: MAX_PLACES, ttl: PLACE_TTL_MS });
  readonly #away = new Set<string>();
  readonly #looks = new Set<string>();
  /** When a node answered last, by `performance.now()`. */
  readonly #answeredAt = new Map<string, number>();
  readonly #running = new Map<string, Set<() => void>>();
  #isClosed = false;

  /**
   * @param sql runs statements on the coordinator, outside transactions
   * @param answers has the coordinator find out, in so many milliseconds, whether a node accepts a connection, or is none of its nodes
   * any more; it rejects when the coordinator does not say
   */
  constructor(sql: SqlExecutor, answers: (host: string, port: number, withinMs: number) => Promise<boolean>) {
    this.#sql = sql;
    this.#answers = (host, port) => answers(host, port, ANSWER_MS).catch(() => undefined);
  }

  /**
   * Lets a transaction of an agent begin. The agent's place is asked for once a minute, and each time while a node is away, as the
   * agent may have been moved from it.
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

  /** Puts aside the node that an error says is away, if it does, until it answers. */
  note(error: unknown): void {
    const { message, where } = ((error as { cause?: unknown } | undefined)?.cause ?? {}) as Record<string, unknown>;
    const [, unreachable] = UNREACHABLE.exec(String(message)) ?? [];
    if (unreachable !== undefined) this.#putAside(unreachable);
    // Citus reports a statement that the node refuses in the same words, so the node is asked first.
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

  /** @returns a function that ends it */
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

  /** Asks a node whether it answers. One question serves all transactions, and a node that has answered is not asked again for a second. */
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

  /** Not in the name of the tenant whose request met the node, nor in its share of connections. */
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
   * Refuses new transactions of a node until it answers. Transactions under way go on unless the node is silent: a node that refuses a
   * connection may still serve those that it has.
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
