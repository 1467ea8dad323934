import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../src/http/listen.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/**
 * Longer than the half second after which the HTTP server closes the connection of a request that
 * it has not read to its end.
 */
const REST_MS = 800;
const FACTS = "/v1/agents/main/facts";

describe("after a body that is refused before its end", () => {
  let app: TestApp;
  let listener: Listener;
  let key: string;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    key = await app.key(["tenant"]);
    listener = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await listener.close();
    await app.drop();
  });

  /**
   * Sends a request with a rest between the two halves of its body, and then another request on the
   * same connection. Resolves with the status lines when the second request is answered.
   */
  function sendBoth(path: string, body: string): Promise<string[]> {
    const socket = connect(Number(new URL(listener.url).port), "127.0.0.1");
    return new Promise((resolve, reject) => {
      let answer = "";
      const statuses = () => answer.match(/HTTP\/1\.1 \d+/g) ?? [];
      socket.on("data", (part) => {
        answer += part.toString("latin1");
        if (statuses().length < 2) return;
        socket.destroy();
        resolve(statuses());
      });
      socket.on("close", () =>
        reject(new Error(`The connection was closed after ${statuses().join(", ") || "no answer"}.`)),
      );
      socket.on("error", () => undefined);
      const head = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
      socket.write(`POST ${path} HTTP/1.1\r\n${head}${body.slice(0, body.length / 2)}`);
      setTimeout(() => {
        socket.write(body.slice(body.length / 2));
        socket.write("GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n");
      }, REST_MS);
    });
  }

  test.each([
    ["it has too many values", FACTS, `{"facts":[${"{},".repeat(80_000)}{}]}`, 413],
    ["it is longer than the route takes", FACTS, `{"facts":["${"x".repeat(1_000_000)}"]}`, 413],
    ["there is no such agent id", "/v1/agents/NO%20ID/files", `{"put":["${"x".repeat(2_000_000)}"]}`, 400],
    ["there is no such route", "/v1/nowhere", "x".repeat(1_000_000), 404],
  ])("because %s, the connection serves the next request", async (_, path, body, status) => {
    expect(await sendBoth(path, body)).toEqual([`HTTP/1.1 ${status}`, "HTTP/1.1 200"]);
  });
});
