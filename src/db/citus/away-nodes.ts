import { setTimeout } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import type { SqlExecutor } from "../database.ts";
import { placeOf } from "./place-agents.ts";

/** How long after it did not answer a node is asked again. */
const RETRY_MS = 500;

/** How Citus names the node in what it says of a connection that is lost or cannot be had; it has no field of its own. */
const NODE = /(?:remote node \S*@|connection marked as essential: |connections to the node )(\S+):(\d+)/;

/**
 * The workers of a cluster that do not answer this process. A server that is gone is noticed after seconds, and without this each
 * request for one of its agents would hold a connection of the pool for so long, which other agents then lack.
 */
export class AwayNodes {
  readonly #sql: SqlExecutor;
  readonly #away = new Set<string>();
  #isClosed = false;

  /** @param sql runs statements on the coordinator, outside transactions */
  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  /**
   * Lets a transaction of an agent begin. While all nodes answer it asks nothing.
   *
   * @throws AppError `database_unavailable` when the agent is on a node that is away
   */
  async admit(schema: string): Promise<void> {
    if (this.#away.size === 0) return;
    const place = await placeOf(this.#sql, schema);
    if (!place || !this.#away.has(`${place.host}:${place.port}`)) return;
    throw new AppError(
      "database_unavailable",
      "The server that has this agent cannot be reached right now; try again in a moment.",
    );
  }

  /** Notes the node that an error says is away, if it does, until it answers. */
  note(error: unknown): void {
    const { message } = ((error as { cause?: unknown } | undefined)?.cause ?? {}) as { message?: unknown };
    const [, host, port] = NODE.exec(String(message)) ?? [];
    const node = `${host}:${port}`;
    if (host === undefined || this.#away.has(node)) return;
    this.#away.add(node);
    void this.#untilBack(host, Number(port)).finally(() => this.#away.delete(node));
  }

  close(): void {
    this.#isClosed = true;
  }

  async #untilBack(host: string, port: number): Promise<void> {
    const answers = () =>
      this.#sql
        .executeSql<{ does: boolean }>("SELECT citus_check_connection_to_node($1, $2) AS does", [host, port])
        .then(({ rows }) => rows[0]?.does === true)
        .catch(() => false);
    while (!this.#isClosed && !(await answers())) await setTimeout(RETRY_MS, undefined, { ref: false });
  }
}
