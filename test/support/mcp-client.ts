import {
  type CallToolResult,
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { TestApp } from "./test-app.ts";

/** The eras of the protocol: with a handshake, and without one. */
export const ERAS = ["legacy", { pin: "2026-07-28" }] as const;
export type Era = (typeof ERAS)[number];

/**
 * Connects the SDK's client to an app of this process over streamable HTTP; without a key as the
 * local operator.
 */
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

/** Returns the answer of a tool. Expects that it is sent only once, as JSON in a text. */
export function answerOf(result: CallToolResult): Record<string, unknown> {
  expect(result.structuredContent).toBeUndefined();
  expect(result.isError ?? false).toBe(false);
  const [part, ...others] = result.content;
  if (part?.type !== "text" || others.length > 0) throw new Error(`not one text: ${JSON.stringify(result)}`);
  return JSON.parse(part.text) as Record<string, unknown>;
}
