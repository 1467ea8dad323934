import type { ErrorCode } from "../../base/errors.ts";
import type { ProfileStore } from "../../config/profiles.ts";
import type { MemoryAccess } from "../../service/tools/memory-access.ts";

/** The API, over the network or in this process. */
export interface Connection {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
  /** The name of the API for the user. */
  description: string;
  /** Whether the connection presents a key. A key may be limited to one agent. */
  keyed?: boolean;
}

export interface Output {
  /** Returns false when the buffer is full; `once` then reports when there is room again. */
  write(data: string | Uint8Array): unknown;
  once?(event: "drain", go: () => void): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** The options that choose an API. */
export interface ConnectOptions {
  url?: string | undefined;
  profile?: string | undefined;
  /**
   * Whether the command makes few requests and ends. Without it, a command may run for long: it
   * watches, or sends many files.
   */
  brief?: boolean | undefined;
  /** Whether the embedded database is not opened: without a server, the one of this machine is tried. */
  onlyServer?: boolean | undefined;
  /**
   * Whether the command erases or revokes something for good. It is refused if the environment names
   * both a server and a database.
   */
  irreversible?: boolean | undefined;
  /**
   * The reaction if this machine has no database at the place where the command looks. Without this
   * option the command is refused: a command that reads, or that changes an existing thing, must not
   * make an empty memory in the folder where it happens to run. `create` makes the database, and
   * `in memory` makes a temporary one.
   */
  ifMissing?: "create" | "in memory" | undefined;
}

/** The services of the surrounding process that a command needs. */
export interface CliContext {
  connect(options: ConnectOptions): Promise<Connection>;
  profiles: ProfileStore;
  serve(options: ServeOptions): Promise<number>;
  work(options: ProcessOutput): Promise<number>;
  migrate(options: { roles: boolean }): Promise<number>;
  /**
   * Does a task on the servers of a cluster.
   *
   * @param say is called with each step as it begins
   */
  cluster(task: ClusterTask, say: (step: string) => void): Promise<ClusterReport>;
  /** Restores an agent's memory from a dump of the database. */
  restoreAgent(task: RestoreTask): Promise<RestoreReport>;
  start(): Promise<number>;
  /**
   * Serves a memory by the Model Context Protocol on standard input and output; resolves when the
   * client ends it.
   */
  serveMcp(
    memory: MemoryAccess,
    options: { explain(error: unknown): { code: ErrorCode; text: string }; signal: AbortSignal },
  ): Promise<void>;
  /**
   * Returns a signal that is aborted when the user stops a command that keeps running. From the
   * call on, Ctrl-C no longer ends the process.
   */
  stopping(): AbortSignal;
  stdout: Output;
  stderr: Output;
  cwd: string;
  version: string;
  /** Whether standard output (`colour`) and standard error (`errorColour`) take colour. */
  colour: boolean;
  errorColour: boolean;
  /**
   * Asks the user at the terminal; undefined without a terminal. `hidden` answers are not shown.
   */
  ask?: ((question: string, options?: { hidden?: boolean }) => Promise<string>) | undefined;
  /** Reads all of standard input, for text that is piped in. */
  readInput(): Promise<string>;
  /** Returns standard input, for a file that is piped in. */
  input(): AsyncIterable<Uint8Array>;
}

/** The address of a server of a Citus cluster. */
export interface ClusterNode {
  host: string;
  port: number;
}

/** A task to do on a cluster. */
export type ClusterTask =
  | { do: "init"; nodes: ClusterNode[]; coordinator?: ClusterNode | undefined }
  | { do: "add-node"; node: ClusterNode; reserved: boolean }
  | { do: "move"; agent: string; tenant?: string | undefined; node: ClusterNode }
  | { do: "rebalance" | "stop-rebalance" | "status" };

/** The agent to restore. `from` is the file of a dump; `-` is standard input. */
export interface RestoreTask {
  agent: string;
  tenant?: string | undefined;
  from: string;
}

/** A restored agent. */
export interface RestoreReport {
  agent: string;
  schemaVersion: number;
  /** Whether the agent is enabled. Restoring does not change that. */
  enabled: boolean;
}

/** The state of a cluster after a task. */
export interface ClusterReport {
  version: string;
  workers: (ClusterNode & { agents: number; bytes: number; takesAgents: boolean; away?: string })[];
  /** The rebalancing that is under way. */
  rebalance?: { state: string; done: number; total: number };
}

/** How a process that runs until it is stopped reports. */
export interface ProcessOutput {
  /** Whether it reports its start and end on standard output, as JSON. */
  json?: boolean;
  /**
   * Whether it writes its log for programs or for a person. Without it, a terminal gets text and
   * any other output gets JSON.
   */
  log?: "json" | "text";
}

export interface ServeOptions extends ProcessOutput {
  host?: string;
  port?: number;
  worker: boolean;
}

/** Options of every administrative command. */
export interface AdminOptions {
  url?: string;
  profile?: string;
  /** The tenant's name or id. */
  tenant?: string;
  json?: boolean;
}

/** Options of every command about one agent's memory. */
export interface RemoteOptions {
  /** The agent's id. Without it, the agent that the key is bound to, else `main`. */
  agent?: string;
  url?: string;
  profile?: string;
  json?: boolean;
}
