import { type ComponentType, createContext, type ReactNode, useContext, useEffect, useMemo } from "react";
import { type Address, matchPath, type Search, type Target } from "./address.ts";
import { navigate, useCurrentAddress } from "./history.ts";

export interface Route {
  /** Such as `/agents/$agent/files`. */
  pattern: string;
  page: ComponentType;
}

export interface View extends Address {
  params: Readonly<Record<string, string>>;
  /** The pattern of the route; undefined for an address that no route has. */
  pattern: string | undefined;
  page: ComponentType | undefined;
}

interface RouterProps {
  routes: readonly Route[];
  /** Returns the target that has taken the place of an address. */
  redirect: (address: Address) => Target | undefined;
  children: ReactNode;
}

const ViewContext = createContext<View>({ path: "/", search: {}, params: {}, pattern: undefined, page: undefined });

/** Finds the view of the current address, for `useView` below it. */
export function Router({ routes, redirect, children }: RouterProps) {
  const address = useCurrentAddress();
  const other = redirect(address);
  const view = useMemo(() => viewOf(routes, address), [routes, address]);
  const next = other && JSON.stringify(other);
  useEffect(() => {
    if (next !== undefined) navigate({ ...(JSON.parse(next) as Target), replace: true });
  }, [next]);
  if (other) return null;
  return <ViewContext value={view}>{children}</ViewContext>;
}

/** Returns the view of the current address. */
export function useView(): View {
  return useContext(ViewContext);
}

/** Returns the agent in the address, the other values, and a function that changes them. */
export function useViewAddress() {
  const { path, params, search } = useView();
  const change = (values: Record<string, string | undefined>, replace = false) =>
    navigate({ to: path, search: { ...search, ...values }, replace });
  return { agent: params.agent ?? "main", search: search as Search & Record<string, string>, change };
}

function viewOf(routes: readonly Route[], address: Address): View {
  for (const { pattern, page } of routes) {
    const params = matchPath(pattern, address.path);
    if (params) return { ...address, params, pattern, page };
  }
  return { ...address, params: {}, pattern: undefined, page: undefined };
}
