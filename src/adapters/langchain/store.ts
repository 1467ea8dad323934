import { BaseStore } from "@langchain/core/stores";
import type { AgentClient } from "../../client/client.ts";
import type { AdapterOptions } from "../shared/adapter-options.ts";
import { unlessAbsent } from "../shared/read-messages.ts";

/** The maximum number of files of one request. */
const MAX_BATCH = 100;

export interface RecollectStoreInput extends Pick<AdapterOptions, "client" | "agent"> {
  /**
   * The folder of the memory that holds the store's files. A key is a path relative to this folder.
   * Default: the whole memory.
   */
  folder?: string | undefined;
}

/**
 * Stores texts under keys such as `notes/today.md`. Each key is the path of a file in the memory.
 * Searches find these files. docs/API.md says which paths are allowed. Unlike recall, a store fails
 * in an outage, because a caller relies on the values that it returns.
 */
export class RecollectStore extends BaseStore<string, string> {
  override lc_namespace = ["recollect", "stores"];
  readonly #files: AgentClient["files"];
  readonly #folder: string;

  constructor({ client, agent = "main", folder = "" }: RecollectStoreInput) {
    super();
    this.#files = client.agent(agent).files;
    this.#folder = folder === "" ? "" : `${folder.replace(/\/+$/, "")}/`;
  }

  static override lc_name(): string {
    return "RecollectStore";
  }

  /** @throws RecollectError */
  override async mget(keys: string[]): Promise<(string | undefined)[]> {
    const values: (string | undefined)[] = [];
    for (const key of keys) values.push((await unlessAbsent(this.#files.get(this.#folder + key)))?.content);
    return values;
  }

  /**
   * Writes the pairs. Up to 100 pairs are written all or nothing; more are written in several
   * requests.
   *
   * @throws RecollectError
   */
  override async mset(pairs: [string, string][]): Promise<void> {
    const put = pairs.map(([key, content]) => ({ path: this.#folder + key, content }));
    for (let from = 0; from < put.length; from += MAX_BATCH)
      await this.#files.write({ put: put.slice(from, from + MAX_BATCH) });
  }

  /** @throws RecollectError */
  override async mdelete(keys: string[]): Promise<void> {
    const paths = keys.map((key) => this.#folder + key);
    for (let from = 0; from < paths.length; from += MAX_BATCH)
      await this.#files.write({ delete: paths.slice(from, from + MAX_BATCH) });
  }

  /** @throws RecollectError */
  override async *yieldKeys(prefix = ""): AsyncGenerator<string> {
    for await (const { path } of this.#files.all({ prefix: this.#folder + prefix }))
      yield path.slice(this.#folder.length);
  }
}
