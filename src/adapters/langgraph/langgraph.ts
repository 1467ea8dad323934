import type { AgentClient, ListedFile } from "../../client/client.ts";
import type { AdapterOptions } from "../shared/adapter-options.ts";
import { TIMEOUT_MS } from "../shared/open-memory.ts";
import { unlessAbsent } from "../shared/read-messages.ts";
import { itemFile, itemOfFile } from "./item-file.ts";
import { folderOf, namespaceOf, pathOf } from "./item-path.ts";
import { matchesFilter } from "./match-filter.ts";
import type {
  GetOperation,
  Item,
  ListNamespacesOperation,
  MatchCondition,
  Operation,
  OperationResults,
  PutOperation,
  SearchItem,
  SearchOperation,
} from "./store-operations.ts";

export type { Item, Operation, OperationResults, SearchItem } from "./store-operations.ts";

export interface LangGraphStoreOptions extends Pick<AdapterOptions, "client" | "agent"> {
  /** The folder of the memory that holds the store's files. Default: `langgraph`. */
  folder?: string | undefined;
  /** The fields whose texts searches find, such as `["text"]`; false: none. Default: all fields. */
  index?: false | string[] | undefined;
  /** The time that each request may take, in milliseconds; default: 5,000. */
  timeoutMs?: number | undefined;
}

/** A store for `compile({ store })`. */
export interface LangGraphStore {
  batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>>;
  get(namespace: string[], key: string): Promise<Item | null>;
  search(namespacePrefix: string[], options?: Omit<SearchOperation, "namespacePrefix">): Promise<SearchItem[]>;
  put(namespace: string[], key: string, value: Item["value"], index?: false | string[]): Promise<void>;
  delete(namespace: string[], key: string): Promise<void>;
  listNamespaces(options?: NamespaceOptions): Promise<string[][]>;
  start(): void;
  stop(): void;
}

interface NamespaceOptions {
  prefix?: string[];
  suffix?: string[];
  maxDepth?: number;
  limit?: number;
  offset?: number;
}

/** The files of a store. */
interface StoreFiles {
  root: string;
  index: false | readonly string[];
  /** Returns the client for one request. */
  client(): AgentClient;
}

/** The maximum number of files of one write, of files read at once, and of hits of a search. */
const MAX_WRITTEN = 100;
const MAX_READING = 8;
const MAX_HITS = 100;
const DEFAULT_LIMIT = 10;

/**
 * Creates a store whose items are files of the memory, one file each below `folder`. So searches of
 * the memory find them beside conversations and facts. A query finds the items of a namespace by
 * meaning and by words, best first; items that it does not find follow, the newest first. Without a
 * query the newest come first. A filter reads the items that it is applied to.
 *
 * Unlike recall, the store fails in an outage, because a caller relies on the values that it returns.
 */
export function createLangGraphStore(options: LangGraphStoreOptions): LangGraphStore {
  const { client, agent = "main", folder = "langgraph", index = ["$"], timeoutMs = TIMEOUT_MS } = options;
  const top = folder.replace(/^\/+|\/+$/g, "");
  const files: StoreFiles = {
    root: top === "" ? "" : `${top}/`,
    index,
    client: () => client.agent(agent, { signal: AbortSignal.timeout(timeoutMs) }),
  };
  const batch = (operations: Operation[]) => carryOut(files, operations);
  const first = async (operation: Operation) => (await batch([operation]))[0];
  return {
    batch: batch as LangGraphStore["batch"],
    get: async (namespace, key) => (await first({ namespace, key })) as Item | null,
    search: async (namespacePrefix, more = {}) => (await first({ namespacePrefix, ...more })) as SearchItem[],
    put: async (namespace, key, value, indexed) => {
      if (namespace[0] === "langgraph")
        throw new TypeError(
          'The first label of a namespace cannot be "langgraph": LangGraph keeps its own items there.',
        );
      await first({ namespace, key, value, ...(indexed === undefined ? {} : { index: indexed }) });
    },
    delete: async (namespace, key) => void (await first({ namespace, key, value: null })),
    listNamespaces: async ({ prefix, suffix, maxDepth, limit = 100, offset = 0 } = {}) => {
      const matchConditions: MatchCondition[] = [];
      if (prefix) matchConditions.push({ matchType: "prefix", path: prefix });
      if (suffix) matchConditions.push({ matchType: "suffix", path: suffix });
      return (await first({ matchConditions, limit, offset, ...(maxDepth && { maxDepth }) })) as string[][];
    },
    start: () => undefined,
    stop: () => undefined,
  };
}

/** Carries out operations. The reads see the items as they were before the writes. */
async function carryOut(files: StoreFiles, operations: readonly Operation[]): Promise<unknown[]> {
  const puts = new Map<string, PutOperation>();
  for (const operation of operations) {
    if ("namespace" in operation) checkNamespace(operation.namespace);
    if (!("value" in operation)) continue;
    const path = pathOf(files.root, operation.namespace, operation.key);
    // The last of several writes of an item counts.
    puts.delete(path);
    puts.set(path, operation);
  }
  const results = await inTurn(operations, (operation): Promise<unknown> => {
    if ("value" in operation) return Promise.resolve(undefined);
    if ("namespacePrefix" in operation) return searchItems(files, operation);
    return "key" in operation ? getItem(files, operation) : listNamespaces(files, operation);
  });
  await writeItems(files, puts);
  return results;
}

function checkNamespace(namespace: readonly string[]): void {
  const isLabel = (label: unknown) => typeof label === "string" && label !== "";
  if (namespace.length === 0 || !namespace.every(isLabel))
    throw new TypeError("A namespace is a list of at least one text, none of them empty.");
}

async function getItem(files: StoreFiles, { namespace, key }: GetOperation): Promise<Item | null> {
  return (await readItem(files, pathOf(files.root, namespace, key))) ?? null;
}

async function readItem(files: StoreFiles, path: string): Promise<Item | undefined> {
  const file = await unlessAbsent(files.client().files.get(path));
  const item = file && itemOfFile(file.content);
  return item && { ...item, updatedAt: new Date(file.mtime) };
}

async function writeItems(files: StoreFiles, puts: ReadonlyMap<string, PutOperation>): Promise<void> {
  const written = [...puts].filter(([, { value }]) => value !== null);
  const put = await inTurn(written, async ([path, operation]) => {
    const createdAt = (await readItem(files, path))?.createdAt ?? new Date();
    return { path, content: itemFile(operation, files.index, createdAt) };
  });
  const deleted = [...puts].flatMap(([path, { value }]) => (value === null ? [path] : []));
  for (let from = 0; from < put.length; from += MAX_WRITTEN)
    await files.client().files.write({ put: put.slice(from, from + MAX_WRITTEN) });
  for (let from = 0; from < deleted.length; from += MAX_WRITTEN)
    await unlessAbsent(files.client().files.write({ delete: deleted.slice(from, from + MAX_WRITTEN) }));
}

async function searchItems(files: StoreFiles, operation: SearchOperation): Promise<SearchItem[]> {
  const { namespacePrefix, filter = {}, limit = DEFAULT_LIMIT, offset = 0, query = "" } = operation;
  const folder = folderOf(files.root, namespacePrefix);
  const scores = query.trim() === "" ? new Map<string, number>() : await searchPaths(files, folder, query);
  const found: SearchItem[] = [];
  const isFiltered = Object.keys(filter).length > 0;
  const take = async (paths: readonly string[]) => {
    for (let from = 0; from < paths.length && found.length < offset + limit; ) {
      // A filter may refuse any of them, so only as many are read as are read at once.
      const size = isFiltered ? MAX_READING : offset + limit - found.length;
      const items = await inTurn(paths.slice(from, from + size), (path) => readItem(files, path));
      for (const [i, item] of items.entries()) {
        if (!item || !matchesFilter(item.value, filter)) continue;
        const score = scores.get(paths[from + i] ?? "");
        found.push(score === undefined ? item : { ...item, score });
      }
      from += size;
    }
  };
  await take([...scores.keys()]);
  if (found.length < offset + limit) {
    const others = (await listFiles(files, folder)).filter(({ path }) => !scores.has(path));
    const newest = others.sort((a, b) => (a.mtime < b.mtime ? 1 : a.mtime > b.mtime ? -1 : 0));
    await take(newest.map(({ path }) => path));
  }
  return found.slice(offset, offset + limit);
}

/** Returns the paths of the items that a query finds, best first, each with its score. */
async function searchPaths(files: StoreFiles, folder: string, query: string): Promise<Map<string, number>> {
  const paths = folder === "" ? {} : { paths: [folder] };
  const options = { corpus: "memory", minScore: 0, maxResults: MAX_HITS, ...paths } as const;
  const answer = await unlessAbsent(files.client().search(query, options));
  if (answer?.unavailable) throw new Error(`${answer.warning} ${answer.action}`);
  const scores = new Map<string, number>();
  for (const { path, score } of answer?.results ?? []) if (!scores.has(path)) scores.set(path, score);
  return scores;
}

async function listFiles(files: StoreFiles, folder: string): Promise<ListedFile[]> {
  const all: ListedFile[] = [];
  let cursor: string | undefined;
  do {
    const page = await unlessAbsent(files.client().files.list({ prefix: folder, limit: 1000, cursor }));
    all.push(...(page?.files ?? []));
    cursor = page?.nextCursor;
  } while (cursor !== undefined);
  return all.filter(({ path }) => namespaceOf(files.root, path) !== undefined);
}

async function listNamespaces(files: StoreFiles, operation: ListNamespacesOperation): Promise<string[][]> {
  const { matchConditions = [], maxDepth = Infinity, limit, offset } = operation;
  const listed = await listFiles(files, files.root);
  const namespaces = new Map<string, string[]>();
  for (const { path } of listed) {
    const namespace = namespaceOf(files.root, path) ?? [];
    if (!matchConditions.every((condition) => matches(condition, namespace))) continue;
    const shown = namespace.slice(0, maxDepth);
    namespaces.set(JSON.stringify(shown), shown);
  }
  const sorted = [...namespaces].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, namespace]) => namespace);
  return sorted.slice(offset, offset + limit);
}

function matches({ matchType, path }: MatchCondition, namespace: readonly string[]): boolean {
  if (path.length > namespace.length) return false;
  const from = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, i) => label === "*" || label === namespace[from + i]);
}

/** Returns the results in order. At most eight calls run at once. */
async function inTurn<T, R>(all: readonly T[], call: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += MAX_READING)
    results.push(...(await Promise.all(all.slice(from, from + MAX_READING).map(call))));
  return results;
}
