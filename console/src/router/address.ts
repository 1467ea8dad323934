/** The values after `?` in an address. Every view can be shared by its address. */
export type Search = Readonly<Record<string, string>>;

/** The part of an address after `#`: the path of a view, and its values. */
export interface Address {
  path: string;
  search: Search;
}

/** The target of a link. `$name` in `to` stands for a value of `params`. */
export interface Target {
  to: string;
  params?: Readonly<Record<string, string>> | undefined;
  search?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Returns the address after `#`. Values stay texts, and empty values are dropped. */
export function parseAddress(hash: string): Address {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#/, ""), "?");
  const search = Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value !== ""));
  return { path: path === "" ? "/" : path, search };
}

/** Returns the address that a target leads to. */
export function addressOf({ to, params = {}, search = {} }: Target): Address {
  const path = to.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const given = Object.entries(search).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return { path, search: Object.fromEntries(given) };
}

export function formatAddress({ path, search }: Address): string {
  const query = new URLSearchParams(search).toString();
  return query === "" ? `#${path}` : `#${path}?${query}`;
}

/**
 * Returns the values of a pattern such as `/agents/$agent` in a path, or undefined if the path does
 * not match.
 */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [segmentsOf(pattern), segmentsOf(path)];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, segment] of wanted.entries()) {
    const value = decoded(given[at] ?? "");
    if (segment.startsWith("$")) params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
