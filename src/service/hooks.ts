import type { Registered } from "./core/hooks.ts";
import type { IndexHooks } from "./index/index-hooks.ts";

/** The hooks of all rooms, with which a feature adds to the core. */
export type Hooks = IndexHooks;

/** Collects the hooks of several features. */
export function collectHooks(all: readonly Partial<Hooks>[]): Registered<Hooks> {
  const of = <Name extends keyof Hooks>(name: Name) => all.flatMap((hooks) => hooks[name] ?? []) as Hooks[Name][];
  return { scheduleAgent: of("scheduleAgent") };
}
