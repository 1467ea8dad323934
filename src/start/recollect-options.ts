export interface RecollectOptions {
  /**
   * The folder of the embedded database. Without it the database is in memory, and is lost when it
   * is closed.
   */
  dataDir?: string | undefined;
  /** A Postgres server to use instead of the embedded database. */
  databaseUrl?: string | undefined;
  /**
   * An embedding provider to use instead of the built-in model; `none` searches by keyword only.
   */
  provider?:
    | "auto"
    | "openai"
    | "gemini"
    | "voyage"
    | "mistral"
    | "ollama"
    | "openai-compatible"
    | "local"
    | "builtin"
    | "none"
    | undefined;
  /** The lowest level that is logged to standard error; default: `warn`. */
  log?: "silent" | "error" | "warn" | "info" | "debug" | undefined;
  /**
   * Whether to resolve only when a model that runs in this process is loaded, so that the first
   * search compares by meaning at once. Otherwise the model is loaded by the first request that
   * needs it.
   */
  waitForModel?: boolean | undefined;
  /**
   * Other variables of docs/SETTINGS.md. The process's own environment is read only if it is passed
   * here.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}
