import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../src/http/listen.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** A client that reads more slowly than this counts as stalled. */
const PACE = { bytes: 1_000_000, withinMs: 600 };
const NO_PACE = { bytes: 0, withinMs: 3_600_000 };

describe("a client that stalls", () => {
  let app: TestApp;
  let listener: Listener;
  let key: string;
  let other: string;
  beforeAll(async () => {
    // The least setting: 8 MB for a key, 16 MB for a tenant.
    app = await startTestApp({ worker: false, env: { RECOLLECT_BODY_MEMORY_MB: "64" } });
    await app.put("big.md", "A line of a note.\n".repeat(200_000));
    key = await app.key(["tenant"]);
    const tenantId = await app.tenant("other");
    other = await app.key(["tenant"], { tenantId });
    listener = await listen(app.runtime.app, { host: "127.0.0.1", port: 0, answers: { pace: PACE, unsentBytes: 1e9 } });
  });
  afterAll(async () => {
    await listener.close();
    await app.drop();
  });

  const open = async (request: string, { url } = listener) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(`${request}\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`);
    return socket;
  };
  const put = (bearer: string, content: string) =>
    fetch(`${listener.url}/v1/agents/main/files/a.md`, {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
      body: JSON.stringify({ content }),
    });

  test("with an upload keeps its own key waiting, and no other tenant", async () => {
    const stalled = await open("PUT /v1/agents/main/files/s.md HTTP/1.1");
    // The length is one byte less than the key's share.
    stalled.write('Content-Type: application/json\r\nContent-Length: 7999999\r\n\r\n{"content":"');
    stalled.write(Buffer.alloc(1_000_000, "x"));
    // This request was sent later and is answered, so the upload has been admitted.
    expect((await put(other, "first")).status).toBe(200);
    let answered = false;
    const mine = put(key, "mine").then(({ status }) => {
      answered = true;
      return status;
    });
    expect((await put(other, "second")).status).toBe(200);
    expect(answered).toBe(false);
    stalled.destroy();
    expect(await mine).toBe(200);
  });

  test("with an answer that it does not read is cut off; one that waits for an answer is not", async () => {
    const idle = await open("GET /health/live HTTP/1.1");
    const reader = await open("GET /v1/agents/main/files/big.md HTTP/1.1");
    reader.pause();
    // Together the answers are larger than the system's own buffers.
    const again = `\r\nGET /v1/agents/main/files/big.md HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
    reader.write(`${again.repeat(9)}\r\n`);
    // Does not use `once`, which a reset connection would reject.
    const closed = new Promise((resolve) => reader.once("close", resolve));
    // A socket that does not read notices nothing, so it keeps sending.
    const probe = setInterval(() => reader.write("GET /health/live HTTP/1.1\r\n"), 100);
    await closed;
    clearInterval(probe);
    idle.write("\r\n");
    expect(String((await once(idle, "data"))[0])).toContain("200 OK");
    idle.destroy();
  });

  test("is cut off when all that is not read is more than the process keeps; who reads is not", async () => {
    const answers = { pace: NO_PACE, unsentBytes: 10_000_000 };
    const keeping = await listen(app.runtime.app, { host: "127.0.0.1", port: 0, answers });
    const big = `GET /v1/agents/main/files/big.md HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const reader = await open("GET /health/live HTTP/1.1", keeping);
    reader.write("\r\n");
    await once(reader, "data");
    const hoarder = await open("GET /health/live HTTP/1.1", keeping);
    hoarder.pause();
    const closed = new Promise((resolve) => hoarder.once("close", resolve));
    hoarder.write(`\r\n${big.repeat(10)}`);
    const probe = setInterval(() => hoarder.write("GET /health/live HTTP/1.1\r\n"), 100);
    await closed;
    clearInterval(probe);
    reader.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(String((await once(reader, "data"))[0])).toContain("200 OK");
    reader.destroy();
    await keeping.close();
  });

  test("is cut off when it asks again and again without waiting for answers", async () => {
    const asked = (times: number) => "GET /v1/agents HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(times);
    const patient = await open("GET /v1/agents HTTP/1.1");
    patient.write(`\r\n${asked(10)}`);
    let answers = "";
    patient.on("data", (part) => {
      answers += part;
    });
    const hasty = await open("GET /v1/agents HTTP/1.1");
    const closed = new Promise((resolve) => hasty.once("close", resolve));
    hasty.write(`\r\n${asked(100)}`);
    await closed;
    await until(() => answers.split("HTTP/1.1 ").length === 12, "eleven answers");
    patient.destroy();
  });
});
