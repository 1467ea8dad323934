import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { sendJson } from "./fake-embeddings.ts";
import { readBody } from "./read-body.ts";

export interface Redirector {
  /** The URL of the host that redirects every request. */
  url: string;
  status: number;
  /** The requests to the first host. */
  asked: string[];
  /** The requests that a client took to the second host. */
  followed: { path: string; headers: IncomingMessage["headers"]; body: string }[];
  /** Set to let the first host answer some requests itself. */
  answer: ((path: string) => unknown) | undefined;
  close(): Promise<void>;
}

/**
 * Starts two hosts on loopback. The first redirects every request to the second, which should never
 * get one.
 */
export async function startRedirector(): Promise<Redirector> {
  const second = createServer(async (request, response) => {
    const body = await readBody(request);
    redirector.followed.push({ path: request.url ?? "", headers: request.headers, body: body?.toString("utf8") ?? "" });
    sendJson(response, 200, {});
  });
  const first = createServer(async (request, response) => {
    await readBody(request);
    const path = request.url ?? "";
    redirector.asked.push(path);
    const own = redirector.answer?.(path);
    if (own !== undefined) return void sendJson(response, 200, own);
    response.writeHead(redirector.status, { location: `${origins[1]}${path}` }).end();
  });
  const origins: string[] = [];
  for (const server of [first, second]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origins.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  const redirector: Redirector = {
    url: origins[0] ?? "",
    status: 307,
    asked: [],
    followed: [],
    answer: undefined,
    close: async () => {
      for (const server of [first, second]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  return redirector;
}
