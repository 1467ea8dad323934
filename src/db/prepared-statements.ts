import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { sendTogether } from "./send-together.ts";

/** As many as a hundred agents' searches run. Each is some 50 kB of its server process. */
const MAX_STATEMENTS = 1000;
const RUN_ONCE = "";

/**
 * What is prepared on one connection: of the statements that were run on it last, those that were run more than once. An agent that is
 * asked now and then is not worth what its statements take of the server's memory: preparing them saves a fifth of the server's
 * time for a search that follows soon, and nothing otherwise.
 */
export class PreparedStatements {
  /** A statement was not there any more, or was there already: others share the server's side of this connection. */
  areLost = false;
  /** Names by texts. */
  readonly #names = new LRUCache<string, string>({
    max: MAX_STATEMENTS,
    noDisposeOnSet: true,
    dispose: (name) => {
      if (name !== RUN_ONCE) this.#forgotten.push(name);
    },
  });
  #forgotten: string[] = [];

  /** The name to run a statement by, which prepares it if it is not; undefined: it is run without. */
  nameOf(text: string): string | undefined {
    if (this.areLost) return undefined;
    const known = this.#names.get(text);
    const name = known === undefined ? RUN_ONCE : known || statementName(text);
    if (name !== known) this.#names.set(text, name);
    return name || undefined;
  }

  /** Has the server forget what is not remembered here any more, with the next statement. Nothing may run on the connection. */
  closeForgotten(client: pg.PoolClient): void {
    if (this.#forgotten.length === 0) return;
    sendTogether(client);
    const connection = client.connection as unknown as {
      close(statement: { type: "S"; name: string }): void;
      /** By which the driver knows what it need not send again. */
      parsedStatements: Record<string, string>;
    };
    for (const name of this.#forgotten) {
      // Of a name that the server does not know it says nothing; DEALLOCATE would fail, and poolers do not translate it.
      connection.close({ type: "S", name });
      delete connection.parsedStatements[name];
    }
    this.#forgotten = [];
  }
}

/**
 * The same in every process: behind a pooler that nobody told us of, a connection may know what another process prepared on it,
 * and a name that was that one's for something else would run that, with our values.
 */
export function statementName(text: string): string {
  return `recollect_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}
