import type { KeyDeps } from "./core/authenticate.ts";
import type { Registered } from "./core/hooks.ts";
import type { ParseThreads } from "./core/parse-threads.ts";
import type { Hooks } from "./hooks.ts";
import type { IndexDeps } from "./indexing/index-deps.ts";
import type { SearchDeps } from "./search/search-deps.ts";
import type { SessionDeps } from "./sessions/commit-messages.ts";

/**
 * The dependencies of all use cases, made once by start/compose.ts. A use case names the part that
 * it needs.
 */
export interface Deps extends KeyDeps, IndexDeps, SearchDeps, SessionDeps {
  readonly hooks: Registered<Hooks>;
  /** Threads for large bodies. */
  readonly parseThreads: ParseThreads;
}
