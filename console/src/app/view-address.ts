import { useNavigate, useParams, useSearch } from "@tanstack/react-router";

/** The values after `?` in an address. Every view can be shared by its address. */
export type Search = Record<string, string>;

/**
 * Returns the agent in the address, the address's other values, and a function that changes them.
 */
export function useViewAddress() {
  const { agent = "main" } = useParams({ strict: false });
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = (values: Record<string, string | undefined>, replace = false) => {
    const next = Object.fromEntries(
      Object.entries({ ...search, ...values }).filter(([, value]) => value !== undefined && value !== ""),
    );
    void navigate({ to: ".", search: next as never, replace });
  };
  return { agent, search, change };
}
