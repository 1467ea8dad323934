import type { Connection } from "../cli/shell/context.ts";
import { serverAddress } from "../client/server-address.ts";
import type { Target } from "./command-target.ts";

/** Connects to a server over the network. */
export function connectTo({ url, key, description }: Target): Connection {
  const base = serverAddress(url);
  return {
    fetch: (path, init) => {
      const headers = new Headers(init?.headers);
      if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
      // A redirect would send the key and the texts to a host that the user has not named.
      return fetch(`${base}${path}`, { ...init, headers, redirect: "manual" });
    },
    close: async () => undefined,
    description,
    keyed: key !== undefined,
  };
}
