import { randomUUID } from "node:crypto";
import { createClient, type RecollectClient, RecollectError } from "../client/client.ts";
import { announceTestServer, testServerAddress } from "../config/test-server.ts";
import type { RecollectOptions } from "./recollect-options.ts";

/** A server that the test files of one run share. */
export interface TestServer {
  /** The API's URL, on a free port of this machine. */
  readonly url: string;
  /** An API key with the scope `admin`. */
  readonly key: string;
  stop(): Promise<void>;
}

/** An empty memory on the server of this test run. */
export interface TestMemory {
  /** The API's URL, for the application under test. */
  readonly url: string;
  /** The API key of a new tenant, for the application under test. */
  readonly key: string;
  readonly client: RecollectClient;
}

/** The signals of this process's own servers, by URL. They close the clients of a stopped server. */
const stops = new Map<string, AbortSignal>();

const NO_SERVER = `No server was started for this test run. With vitest, set globalSetup: ["recollect/testing"]. With node:test, run node --test --test-global-setup=node_modules/recollect/dist/start/testing.js. With another runner, call startTestServer() before the tests.`;

/**
 * Starts the service in this process for all test files of a run, on a free port of 127.0.0.1, with
 * an embedded database in memory. Processes that this process starts afterwards find it with
 * `connectForTest()`. Starting the service takes seconds of processor time; a test file that shares
 * it needs almost none.
 *
 * @param options default: `log` is `error`, and `waitForModel` is true
 * @throws RecollectError as `createRecollect` does
 */
export async function startTestServer(options: RecollectOptions = {}): Promise<TestServer> {
  // Test files import this module too, and need no service in their processes.
  const [{ checkOptions }, { startHere }, { listen }, { makeApiKey }] = await Promise.all([
    import("./check-options.ts"),
    import("./start-here.ts"),
    import("../http/listen.ts"),
    import("../service/core/api-key.ts"),
  ]);
  const { key } = makeApiKey();
  checkOptions(options);
  const { log = "error", waitForModel = true } = options;
  const runtime = await startHere({ ...options, log, waitForModel }, { keyless: false, adminKey: key });
  const listener = await listen(runtime.app, { host: "127.0.0.1", port: 0 }).catch(async (error: unknown) => {
    await runtime.close();
    throw error;
  });
  const { url } = listener;
  const withdraw = announceTestServer({ url, key });
  const stopped = new AbortController();
  stops.set(url, stopped.signal);
  return {
    url,
    key,
    stop: async () => {
      withdraw();
      stops.delete(url);
      stopped.abort(new RecollectError("service_unreachable", "This test server was stopped.", {}));
      runtime.stopAccepting();
      await listener.close();
      await runtime.close();
    },
  };
}

/**
 * Returns an empty memory on the server of this test run: a new tenant, so that agents of the same
 * name in two test files have nothing to do with each other. It needs no `close`.
 *
 * @throws Error when no server was started for the run
 */
export async function connectForTest(): Promise<TestMemory> {
  const server = testServerAddress();
  if (!server) throw new Error(NO_SERVER);
  const { url } = server;
  const { id } = await createClient(server).request<{ id: string }>("POST", "/v1/tenants", {
    body: { name: `test-${randomUUID()}` },
    repeat: "by key",
  });
  const inTenant = createClient({ ...server, tenant: id });
  const { key } = await inTenant.request<{ key: string }>("POST", "/v1/keys", {
    body: { name: "test", scopes: ["tenant"] },
    repeat: "by key",
  });
  return { url, key, client: createClient({ url, key, closed: stops.get(url) }) };
}

/** The server of a run, and how many projects of the run use it. */
let running: { server: Promise<TestServer>; users: number } | undefined;

/**
 * Starts the server of a run. Vitest calls it when `globalSetup` names this module, once for each
 * project of the run. The projects share the server.
 */
export async function setup(): Promise<void> {
  running ??= { server: startTestServer(), users: 0 };
  running.users++;
  await running.server;
}

/** Stops the server of a run after its last project. Vitest calls it. */
export async function teardown(): Promise<void> {
  if (!running || --running.users > 0) return;
  const { server } = running;
  running = undefined;
  // `setup` has thrown the error of a server that did not start.
  await server.then(
    (one) => one.stop(),
    () => undefined,
  );
}

/** The names that node:test calls. */
export { setup as globalSetup, teardown as globalTeardown };
