import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../src/http/listen.ts";
import { until } from "../support/until.ts";

const LARGE = 8_000_000;
/** Open connections are cut off after fifteen seconds. */
const LESS_THAN_DRAINING_MS = 14_000;

describe("a listener", () => {
  let listener: Listener;
  let served: string[];
  let gate: PromiseWithResolvers<void>;
  beforeEach(async () => {
    served = [];
    gate = Promise.withResolvers();
    const app = {
      fetch: async (request: Request) => {
        const { pathname } = new URL(request.url);
        served.push(pathname);
        if (pathname === "/large") return new Response("x".repeat(LARGE));
        if (pathname === "/stream") {
          const stream = new ReadableStream<Uint8Array>({
            start: async (controller) => {
              controller.enqueue(Buffer.from("first"));
              await gate.promise;
              controller.enqueue(Buffer.from("last"));
              controller.close();
            },
          });
          return new Response(stream);
        }
        if (pathname === "/slow") await gate.promise;
        return new Response("done");
      },
    };
    listener = await listen(app, { host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    gate.resolve();
    await listener.close();
  });

  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(listener.url).port), "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const ask = (socket: Socket, path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const first = async (socket: Socket) => String((await once(socket, "data"))[0]);

  test("keeps connections longer than those who ask do", async () => {
    const socket = await open();
    ask(socket, "/one");
    expect(Number(/keep-alive: timeout=(\d+)/i.exec(await first(socket))?.[1])).toBeGreaterThan(60);
    socket.destroy();
  });

  test("takes no new connection", async () => {
    await listener.close();
    await expect(open()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("a request on a connection that was kept alive is still answered, and told that it was the last", async () => {
    const socket = await open();
    ask(socket, "/one");
    expect(await first(socket)).not.toMatch(/connection: close/i);
    const closed = listener.close();
    // The client has not noticed: its request is in flight while the server is told to stop.
    ask(socket, "/two");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200.*connection: close.*done/is);
    await closed;
    expect(served).toEqual(["/one", "/two"]);
  });

  test("a request under way is answered, and told that it was the last", async () => {
    const socket = await open();
    ask(socket, "/slow");
    await until(() => served.length > 0);
    const closed = listener.close();
    gate.resolve();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200.*connection: close.*done/is);
    await closed;
  });

  test("a large answer is sent to its end", async () => {
    const socket = await open();
    socket.pause();
    ask(socket, "/large");
    await until(() => served.length > 0);
    const closed = listener.close();
    // Longer than idle connections stay open.
    await pause(1000);
    expect((await text(socket)).length).toBeGreaterThan(LARGE);
    await closed;
  });

  test("waits for a stream, and no longer: its connection is not kept", {
    timeout: LESS_THAN_DRAINING_MS,
  }, async () => {
    const socket = await open();
    ask(socket, "/stream");
    await first(socket);
    const closed = listener.close();
    const rest = text(socket);
    gate.resolve();
    expect(await rest).toContain("last");
    await closed;
  });

  test("waits for nobody who asks nothing", { timeout: LESS_THAN_DRAINING_MS }, async () => {
    const [silent, idle] = [await open(), await open()];
    ask(idle, "/one");
    await first(idle);
    const ended = [silent, idle].map((socket) =>
      once(
        socket.resume().on("error", () => undefined),
        "close",
      ),
    );
    await listener.close();
    await Promise.all(ended);
  });
});
