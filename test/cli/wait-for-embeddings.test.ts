import { describe, expect, test } from "vitest";
import { clientOf } from "../../src/cli/shell/connected.ts";
import type { Connection } from "../../src/cli/shell/context.ts";
import { waitForEmbeddings } from "../../src/cli/shell/wait-for-embeddings.ts";
import { captureOutput } from "../support/cli-harness.ts";

const PACE = { firstMs: 1, longestMs: 2, stallMs: 60, askMs: 5, againMs: { outage: 20, limit: 20, fallback: 20 } };

/**
 * Returns a connection that answers each status request with the next of these answers, and then
 * repeats the last one.
 */
function statuses(...answers: { status?: number; body: unknown }[]): Connection & { asked: number } {
  const connection = {
    asked: 0,
    fetch: async () => {
      const { status = 200, body } = answers[Math.min(connection.asked++, answers.length - 1)] ?? { body: {} };
      return new Response(JSON.stringify(body), { status });
    },
    close: async () => undefined,
    description: "test",
  };
  return connection;
}

const pending = (count: number, ready = true) => ({ body: { pendingEmbeddings: count, vector: { ready } } });
const wait = (connection: Connection, toEmbed: number, stderr = captureOutput()) => {
  const client = clientOf(connection);
  return waitForEmbeddings(client.agent(), { client, toEmbed, stderr, pace: PACE });
};

/** Returns a connection to a service whose provider has this finding, and where nothing is embedded. */
function troubled(
  doctor: { status?: number; body: unknown },
  status: { body: unknown } = pending(2),
): Connection & { doctors: number } {
  const { fetch, ...stuck } = statuses(status);
  const service = {
    ...stuck,
    doctors: 0,
    fetch: async (url: string, init: RequestInit) => {
      if (!url.includes("/v1/doctor?agent=main")) return fetch(url, init);
      service.doctors++;
      return new Response(JSON.stringify(doctor.body), { status: doctor.status ?? 200 });
    },
  };
  return service;
}

describe("waitForEmbeddings", () => {
  test("ends when none is left; embeddings made before the first question count too", async () => {
    const connection = statuses(pending(3), pending(1), pending(0));
    expect(await wait(connection, 5)).toEqual({ embedded: 5, left: 0, stalled: false, possible: true });
    expect(connection.asked).toBe(3);
  });

  test("older pending embeddings are waited for as well", async () => {
    expect(await wait(statuses(pending(4), pending(0)), 0)).toEqual({
      embedded: 4,
      left: 0,
      stalled: false,
      possible: true,
    });
  });

  test("gives up when nothing moves", async () => {
    expect(await wait(statuses(pending(3), pending(2)), 3)).toEqual({
      embedded: 1,
      left: 2,
      stalled: true,
      possible: true,
    });
  });

  test("ends when the provider refuses, and says so once", async () => {
    const refused = { check: "provider", state: "failed", message: "The key is refused.", remedy: "Put in another." };
    const stderr = captureOutput();
    const service = troubled({ body: { findings: [{ check: "key", state: "ok" }, refused] } });
    const client = clientOf(service);
    const pace = { ...PACE, stallMs: 3_600_000 };
    const waited = await waitForEmbeddings(client.agent(), { client, toEmbed: 2, stderr, pace });
    expect(service.doctors).toBe(1);
    expect(waited).toMatchObject({ stalled: true, left: 2, trouble: "The key is refused. Put in another." });
    expect(stderr.text.match(/No embedding is made\. The key is refused\. Put in another\./g)).toHaveLength(1);
    expect(stderr.text).toContain("the server or the next command makes the embeddings");
  });

  test("goes on waiting for a provider that is only slow; one with an outage or at its limit is asked again", async () => {
    const failing = { check: "provider", state: "failed", message: "It is busy." };
    const slow = troubled({ body: { findings: [{ ...failing, reason: "slow" }] } });
    const stderr = captureOutput();
    const started = performance.now();
    expect(await wait(slow, 2, stderr)).toMatchObject({ stalled: true, trouble: "It is busy." });
    expect(performance.now() - started).toBeGreaterThanOrEqual(PACE.stallMs);
    expect([slow.doctors, stderr.text.match(/It is busy/g)?.length]).toEqual([1, 1]);
    for (const reason of ["limit", "outage"]) {
      const failingTwice = troubled({ body: { findings: [{ ...failing, reason }] } });
      const client = clientOf(failingTwice);
      const pace = { ...PACE, stallMs: 3_600_000 };
      const waited = await waitForEmbeddings(client.agent(), { client, toEmbed: 2, stderr: captureOutput(), pace });
      expect(waited).toMatchObject({ stalled: true, left: 2 });
      expect(failingTwice.doctors).toBe(2);
    }
  });

  test("waits until the index of the fallback can have been built", async () => {
    const refused = { check: "provider", state: "failed", message: "The key is refused." };
    const doctor = { body: { findings: [refused] } };
    const stuck = { pendingEmbeddings: 2, vector: { ready: true }, fallback: { provider: "builtin", inUse: false } };
    const pace = { ...PACE, stallMs: 3_600_000 };
    const service = troubled(doctor, { body: stuck });
    const client = clientOf(service);
    const waited = await waitForEmbeddings(client.agent(), { client, toEmbed: 2, stderr: captureOutput(), pace });
    expect([waited.stalled, service.doctors]).toEqual([true, 2]);
  });

  test("goes on waiting where the service cannot say what is wrong", async () => {
    const absent = { status: 404, body: { code: "not_found", detail: "None.", requestId: "r" } };
    expect(await wait(troubled(absent), 2)).toEqual({ embedded: 0, left: 2, stalled: true, possible: true });
    const fine = { body: { findings: [{ check: "provider", state: "ok", message: "It answers." }] } };
    expect(await wait(troubled(fine), 2)).toEqual({ embedded: 0, left: 2, stalled: true, possible: true });
  });

  test("does not wait for a server that has no model", async () => {
    const connection = statuses(pending(3, false));
    expect(await wait(connection, 3)).toEqual({ embedded: 0, left: 3, stalled: false, possible: false });
    expect(connection.asked).toBe(1);
  });

  test("an agent that stored nothing has nothing pending, and a status without the field neither", async () => {
    const unknown = { status: 404, body: { code: "agent_not_found", detail: "None.", requestId: "r" } };
    expect(await wait(statuses(unknown), 0)).toEqual({ embedded: 0, left: 0, stalled: false, possible: true });
    expect(await wait(statuses({ body: {} }), 0)).toEqual({ embedded: 0, left: 0, stalled: false, possible: true });
  });
});
