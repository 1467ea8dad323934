import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { sendTogether } from "./send-together.ts";

/**
 * About the number of statements that the searches of a hundred agents run. Each takes some 50 kB
 * of memory in its server process.
 */
const MAX_STATEMENTS = 1000;
const RUN_ONCE = "";

/**
 * The statements that are prepared on one connection: the recently run statements that ran more
 * than once. Statements of an agent that is rarely asked are not worth the server's memory:
 * preparing them saves a fifth of the server's time for a search that follows soon, and nothing
 * otherwise.
 */
export class PreparedStatements {
  /**
   * Whether a prepared statement was missing on the server, or already existed. Then other clients
   * share the server's side of this connection.
   */
  areLost = false;
  /** The names of statements by their texts. */
  readonly #names = new LRUCache<string, string>({
    max: MAX_STATEMENTS,
    noDisposeOnSet: true,
    dispose: (name) => {
      if (name !== RUN_ONCE) this.#forgotten.push(name);
    },
  });
  #forgotten: string[] = [];

  /**
   * Returns the name under which to run a statement, and so to prepare it if it is not prepared;
   * undefined: it is run without a name.
   */
  nameOf(text: string): string | undefined {
    if (this.areLost) return undefined;
    const known = this.#names.get(text);
    const name = known === undefined ? RUN_ONCE : known || statementName(text);
    if (name !== known) this.#names.set(text, name);
    return name || undefined;
  }

  /**
   * Has the server forget the statements that this cache has dropped, together with the next
   * statement. Nothing may run on the connection.
   */
  closeForgotten(client: pg.PoolClient): void {
    if (this.#forgotten.length === 0) return;
    sendTogether(client);
    const connection = client.connection as unknown as {
      close(statement: { type: "S"; name: string }): void;
      /** The driver's list of statements that it need not send again. */
      parsedStatements: Record<string, string>;
    };
    for (const name of this.#forgotten) {
      // Close says nothing about a name that the server does not know. DEALLOCATE would fail, and
      // poolers do not translate it.
      connection.close({ type: "S", name });
      delete connection.parsedStatements[name];
    }
    this.#forgotten = [];
  }
}

/**
 * Returns the name of a statement, which is the same in every process. Behind a pooler that is not
 * configured, a connection may have statements that another process prepared. If that process used
 * a name for another text, the server would run that text with our values.
 */
export function statementName(text: string): string {
  return `recollect_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}
