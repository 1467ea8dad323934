/**
 * The functions that features have registered under the names of hooks, in the order of the
 * features. A hook is a place where the core calls its features, which it does not import: each room
 * of the service names its hooks (`service/hooks.ts` has them together).
 */
export type Registered<Hooks> = { readonly [Name in keyof Hooks]: readonly Hooks[Name][] };
