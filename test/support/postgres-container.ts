import { PostgreSqlContainer } from "@testcontainers/postgresql";
import { Wait } from "testcontainers";

const DAY_MS = 86_400_000;

/**
 * Makes a Postgres container that is awaited by its log, where its first start says twice that it
 * is ready. The container has no health check. A check four times a second took a fifth of a
 * processor as long as the container ran. On a busy machine a check takes longer than its limit,
 * and its shell is killed. The process that the shell had started becomes a child of Postgres,
 * which is the container's first process. Postgres takes the failure of this foreign child for a
 * failed server process, and ends all sessions.
 */
export function postgresContainer(image: string): PostgreSqlContainer {
  return (
    new PostgreSqlContainer(image)
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      // Without a health check here the library adds its own.
      .withHealthCheck({ test: ["CMD", "true"], interval: DAY_MS })
  );
}
