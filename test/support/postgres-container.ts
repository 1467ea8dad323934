import { PostgreSqlContainer } from "@testcontainers/postgresql";
import { Wait } from "testcontainers";

const DAY_MS = 86_400_000;

/**
 * A container of Postgres that is waited for by its log, where its first start says twice that it is ready, and never asked for its
 * health. A check four times a second took a fifth of a processor for as long as the container was there. On a busy machine a check
 * takes longer than it may and its shell is killed; what it had started becomes a child of Postgres, which is the container's first
 * process, takes a foreign child's failure for that of a server process, and ends all sessions.
 */
export function postgresContainer(image: string): PostgreSqlContainer {
  return (
    new PostgreSqlContainer(image)
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      // The library adds its own to a container without one.
      .withHealthCheck({ test: ["CMD", "true"], interval: DAY_MS })
  );
}
