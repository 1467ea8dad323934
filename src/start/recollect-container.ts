import "./require-node.ts";
import { GenericContainer, Network, type StartedNetwork, type StartedTestContainer, Wait } from "testcontainers";
import { createClient, type RecollectClient } from "../client/client.ts";
import { announceTestServer } from "../config/test-server.ts";
import { LOGIN_FOR_TESTS } from "../db/login-rights.ts";
import { makeApiKey } from "../service/core/api-key.ts";
import { buildPackageImage } from "./build-package-image.ts";
import { checkVariables, requireKnown } from "./check-options.ts";
import { explainingExit } from "./explain-exit.ts";

export interface RecollectContainerOptions {
  /**
   * The service's image. Default: an image of the installed package, which is built the first time
   * and then kept.
   */
  image?: string | undefined;
  /** The image of a Postgres with pgvector. */
  postgresImage?: string | undefined;
  /** Variables of docs/SETTINGS.md for the service, such as a provider's key. */
  env?: Record<string, string> | undefined;
  /** How long each container may take to be ready; default 120 s. */
  startupTimeoutMs?: number | undefined;
}

export interface RecollectContainer {
  /** The API's URL, on a port of this machine. */
  readonly url: string;
  /** An API key with the scope `admin`. */
  readonly key: string;
  readonly client: RecollectClient;
  /** Removes the containers with all their data. */
  stop(): Promise<void>;
}

const PORT = 7420;
const STARTUP_TIMEOUT_MS = 120_000;
const DATABASE_URL = "postgres://recollect:recollect@postgres:5432/recollect";
const READY = /database system is ready to accept connections/;

/**
 * Starts the service's image with its own Postgres, for integration tests of other projects. It
 * needs a Docker engine and the package `testcontainers`, which is needed for nothing else. Processes
 * that this process starts afterwards find the service with `connectForTest()`.
 *
 * @throws Error when no Docker engine answers, the image cannot be built, or a container ends or is
 *   not ready in time; then with the end of its log
 */
export async function startRecollectContainer(options: RecollectContainerOptions = {}): Promise<RecollectContainer> {
  requireKnown(options, ["image", "postgresImage", "env", "startupTimeoutMs"]);
  checkVariables(options.env);
  const { postgresImage = "pgvector/pgvector:pg17", env = {} } = options;
  const image = options.image ?? (await buildPackageImage());
  const timeoutMs = options.startupTimeoutMs ?? STARTUP_TIMEOUT_MS;
  const started: (StartedNetwork | StartedTestContainer)[] = [];
  let withdraw: () => void = () => undefined;
  const stop = async () => {
    withdraw();
    for (const one of started.splice(0).reverse()) await one.stop();
  };
  try {
    const network = await new Network().start();
    started.push(network);
    const postgres = await new GenericContainer(postgresImage)
      .withNetwork(network)
      .withNetworkAliases("postgres")
      .withEnvironment({ POSTGRES_USER: "postgres", POSTGRES_PASSWORD: "postgres", POSTGRES_DB: "recollect" })
      // The message appears twice: from the server that only creates the database, and from the
      // server that stays.
      .withWaitStrategy(explainingExit(Wait.forLogMessage(READY, 2), "Postgres", {}))
      .withStartupTimeout(timeoutMs)
      .start();
    started.push(postgres);
    await createLogin(postgres);
    const { key } = makeApiKey();
    const settings = { DATABASE_URL, ...env, RECOLLECT_ADMIN_KEY: key };
    const isReady = Wait.forHttp("/health/ready", PORT, { abortOnContainerExit: true });
    const service = await new GenericContainer(image)
      .withNetwork(network)
      .withEnvironment(settings)
      .withExposedPorts(PORT)
      .withWaitStrategy(explainingExit(isReady, "The service", settings))
      .withStartupTimeout(timeoutMs)
      .start();
    started.push(service);
    const url = `http://${service.getHost()}:${service.getMappedPort(PORT)}`;
    withdraw = announceTestServer({ url, key });
    return { url, key, client: createClient({ url, key }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Creates the login that docs/ISOLATION.md describes, so that tests run with the rights of a real
 * service.
 */
async function createLogin(postgres: StartedTestContainer): Promise<void> {
  const { exitCode, output } = await postgres.exec([
    ...["psql", "-U", "postgres", "-d", "recollect", "-v", "ON_ERROR_STOP=1"],
    ...LOGIN_FOR_TESTS.flatMap((statement) => ["-c", statement]),
  ]);
  if (exitCode !== 0) throw new Error(`The database login could not be made: ${output}`);
}
