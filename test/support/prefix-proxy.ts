import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that puts a service below a path prefix that the service does not know. */
export interface PrefixProxy {
  /** The URL, such as `http://127.0.0.1:4711/memory/`. */
  url: string;
  /** The paths of all requests. */
  asked: string[];
  close(): Promise<void>;
}

/** Starts a proxy. Paths outside the prefix are not found. */
export async function startPrefixProxy(prefix: string, service: string): Promise<PrefixProxy> {
  const asked: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? "");
    if (!incoming.url?.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const onward = request(new URL(incoming.url.slice(prefix.length), service), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}/`,
    asked,
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
