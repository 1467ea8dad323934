/** The server that the test files of one run share. */
export interface TestServerAddress {
  url: string;
  /** A key with the scope `admin`. */
  key: string;
}

type Environment = Record<string, string | undefined>;

/**
 * Tells the processes that this process starts from now on where the server is. The test runners
 * start their workers with a copy of the environment.
 */
export function announceTestServer({ url, key }: TestServerAddress, env: Environment = process.env): void {
  env.RECOLLECT_TEST_URL = url;
  env.RECOLLECT_TEST_KEY = key;
}

/** Withdraws the announcement of `announceTestServer`. */
export function withdrawTestServer(env: Environment = process.env): void {
  delete env.RECOLLECT_TEST_URL;
  delete env.RECOLLECT_TEST_KEY;
}

/** Returns the server of this test run; undefined if none was started. */
export function testServerAddress(env: Environment = process.env): TestServerAddress | undefined {
  const { RECOLLECT_TEST_URL: url, RECOLLECT_TEST_KEY: key } = env;
  return url && key ? { url, key } : undefined;
}
