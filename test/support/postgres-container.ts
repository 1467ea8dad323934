import { PostgreSqlContainer } from "@testcontainers/postgresql";

/**
 * A container of Postgres that is asked for its health without a shell. On a busy machine a check takes longer than it may and its
 * shell is killed; what it had started becomes a child of Postgres, which is the container's first process, takes a foreign
 * child's failure for that of a server process, and ends all sessions.
 */
export function postgresContainer(image: string): PostgreSqlContainer {
  return new PostgreSqlContainer(image).withHealthCheck({
    test: ["CMD", "pg_isready", "--host", "localhost"],
    ...{ interval: 250, timeout: 10_000, retries: 1000 },
  });
}
