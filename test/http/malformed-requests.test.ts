import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../src/http/listen.ts";
import { malformedRequests, rawRequest } from "../support/malformed-requests.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("a malformed request has an answer that is no fault of the server's", () => {
  let app: TestApp;
  let listener: Listener;
  let key: string;
  const logged: string[] = [];
  beforeAll(async () => {
    app = await startTestApp({
      worker: false,
      env: { RECOLLECT_LOG_LEVEL: "error" },
      log: { write: (line) => logged.push(line) },
    });
    await app.put("kept.md", "# Kept");
    key = await app.key(["admin"]);
    listener = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await listener.close();
    await app.drop();
  });

  /**
   * Sends bytes on a separate connection and returns the whole answer, which is empty if the
   * connection is closed without one. A stream of events is closed when it has begun.
   */
  function send(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(listener.url).port), "127.0.0.1");
    return new Promise((resolve) => {
      let answer = "";
      socket.on("data", (part) => {
        answer += part.toString("latin1");
        if (/^HTTP\/1\.1 200 [\s\S]*\r\ncontent-type: text\/event-stream[\s\S]*\r\n\r\n/i.test(answer))
          socket.destroy();
      });
      socket.on("close", () => resolve(answer));
      socket.on("error", () => undefined);
      socket.write(bytes, "latin1");
    });
  }
  test.each(["127.999.1.1", "1.2.3.4.5", "256.256", "99999999999"])(
    "the host %s is named as the fault, with a key and without",
    async (host) => {
      for (const authorization of [undefined, `Bearer ${key}`])
        for (const path of ["/v1/agents/main/status", "/v1/nowhere", "/health/live", "/console/"]) {
          const answer = await send(rawRequest(key, `GET ${path} HTTP/1.1`, { host, authorization }));
          expect([path, answer.slice(0, 12)]).toEqual([path, "HTTP/1.1 400"]);
          expect(answer).toContain('"code":"invalid_request"');
          expect(answer).toContain("Host header");
        }
    },
  );

  test("whatever is wrong with it", async () => {
    const faults: string[] = [];
    for (const [name, bytes] of malformedRequests(key)) {
      const answer = await send(bytes);
      if (/^HTTP\/1\.1 5/.test(answer)) faults.push(`${name}: ${answer.slice(0, 300)}`);
    }
    expect(faults).toEqual([]);
    expect(logged).toEqual([]);
  }, 120_000);
});
