import type { Address, Search, Target } from "../router/address.ts";

/** Addresses of views that have moved. Links that people have kept lead to the new place. */
const OF_AGENT: Record<string, (search: Search) => [name: string, search: Search]> = {
  facts: (search) => ["memories", search],
  sessions: (search) => ["conversations", search],
  live: (search) => ["activity", search],
  history: (search) => [search.view === "snapshots" ? "versions" : "activity", { view: "changes", ...search }],
  branches: (search) => ["versions", { ...search, view: "branches" }],
  sharing: (search) => ["versions", { ...search, view: "sharing" }],
};
const OF_WORKSPACE: Record<string, [name: string, search: Search]> = {
  keys: ["access", {}],
  tenants: ["access", { view: "tenants" }],
  jobs: ["health", { view: "jobs" }],
  doctor: ["health", {}],
};

/** Returns the new address of a view that has moved, or undefined. */
export function movedTo({ path, search }: Address): Target | undefined {
  const [, area, first = "", name] = path.split("/");
  if (area === "agents" && name !== undefined && Object.hasOwn(OF_AGENT, name)) {
    const moved = OF_AGENT[name]?.(search);
    return moved && { to: `/agents/${first}/${moved[0]}`, search: moved[1] };
  }
  if (area !== "operate") return undefined;
  const [part, more] = OF_WORKSPACE[first] ?? [first, {}];
  return { to: `/workspace/${part}`, search: { ...search, ...more } };
}
