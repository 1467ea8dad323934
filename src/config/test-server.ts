/** The server that the test files of one run share. */
export interface TestServerAddress {
  url: string;
  /** A key with the scope `admin`. */
  key: string;
}

/** The variables that announce the server. */
export const TEST_SERVER_VARIABLES = ["RECOLLECT_TEST_URL", "RECOLLECT_TEST_KEY"] as const;

type Environment = Record<string, string | undefined>;

/** The servers that this process has announced and not withdrawn. The last one counts. */
let announced: readonly TestServerAddress[] = [];
/** The server that the process before this one has announced. */
let inherited: TestServerAddress | undefined;

/**
 * Tells the processes that this process starts from now on where the server is. The test runners
 * start their workers with a copy of the environment.
 *
 * @returns withdraws the announcement, so that a server that was announced before counts again
 */
export function announceTestServer(server: TestServerAddress, env: Environment = process.env): () => void {
  if (announced.length === 0) inherited = testServerAddress(env);
  announced = [...announced, server];
  write(server, env);
  return () => {
    announced = announced.filter((one) => one !== server);
    write(announced.at(-1) ?? inherited, env);
  };
}

function write(server: TestServerAddress | undefined, env: Environment): void {
  if (server) Object.assign(env, { RECOLLECT_TEST_URL: server.url, RECOLLECT_TEST_KEY: server.key });
  else for (const name of TEST_SERVER_VARIABLES) delete env[name];
}

/** Returns the server of this test run; undefined if none was started. */
export function testServerAddress(env: Environment = process.env): TestServerAddress | undefined {
  const { RECOLLECT_TEST_URL: url, RECOLLECT_TEST_KEY: key } = env;
  return url && key ? { url, key } : undefined;
}
