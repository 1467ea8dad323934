import { createClient, type RecollectClient } from "../../src/client/client.ts";
import { startTestApp, type TestApp } from "./test-app.ts";

/** The service as an adapter's client reaches it, with a network that can be made to fail. */
export interface AdapterApp {
  app: TestApp;
  client: RecollectClient;
  /**
   * `refused`: connections are refused; `silent`: requests get no answer; `up`: the network works.
   */
  network: { state: "up" | "refused" | "silent" };
  /** The requests since the start, such as `POST /v1/agents/main/recall`. */
  asked: string[];
}

/** @param key the key of another caller than the local operator */
export async function startAdapterApp(key?: string): Promise<AdapterApp> {
  const app = await startTestApp();
  const network: AdapterApp["network"] = { state: "up" };
  const asked: string[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (network.state === "refused") throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
    if (network.state === "silent") return unanswered(init.signal);
    asked.push(`${init.method} ${new URL(url).pathname}`);
    return app.runtime.app.request(url, init);
  };
  return { app, client: createClient({ url: "http://localhost", key, fetch, maxTries: 1 }), network, asked };
}

function unanswered(signal: RequestInit["signal"]): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
