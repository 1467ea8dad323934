import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { TestApp } from "./test-app.ts";

/** The eras of the protocol: with a handshake, and without one. */
export const ERAS = ["legacy", { pin: "2026-07-28" }] as const;
export type Era = (typeof ERAS)[number];

/** The SDK's client on an app of this process over streamable HTTP; without a key the local operator's. */
export async function connectClient(
  app: TestApp,
  { agent = "main", key, era = "legacy" }: { agent?: string; key?: string; era?: Era } = {},
): Promise<Client> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`http://localhost/v1/agents/${agent}/mcp`), {
    requestInit: { headers },
    fetch: async (url, init) => app.runtime.app.request(String(url), init),
  });
  const client = newClient(era);
  await client.connect(transport);
  return client;
}

export function newClient(era: Era): Client {
  const options: ClientOptions = { versionNegotiation: { mode: era } };
  return new Client({ name: "test", version: "1" }, options);
}
