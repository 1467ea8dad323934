import type { EraseHooks } from "./admin/erase-hooks.ts";
import type { Registered } from "./core/hooks.ts";
import type { FileHooks } from "./files/file-hooks.ts";
import type { IndexHooks } from "./indexing/index-hooks.ts";
import type { SearchHooks } from "./search/search-hooks.ts";
import type { SessionHooks } from "./sessions/session-hooks.ts";

/** The hooks of all rooms, with which a feature adds to the core. */
export type Hooks = EraseHooks & FileHooks & IndexHooks & SearchHooks & SessionHooks;

/** Collects the hooks of several features. */
export function collectHooks(all: readonly Partial<Hooks>[]): Registered<Hooks> {
  const of = <Name extends keyof Hooks>(name: Name) => all.flatMap((hooks) => hooks[name] ?? []) as Hooks[Name][];
  return {
    readDocument: of("readDocument"),
    scheduleAgent: of("scheduleAgent"),
    syncFolders: of("syncFolders"),
    readFolderStatus: of("readFolderStatus"),
    schemasWithFolders: of("schemasWithFolders"),
    planBatches: of("planBatches"),
    chooseChunks: of("chooseChunks"),
    planOtherSearches: of("planOtherSearches"),
    openOtherMemory: of("openOtherMemory"),
    planCapture: of("planCapture"),
    captureLater: of("captureLater"),
    beforeErasure: of("beforeErasure"),
  };
}
