import { openPostgres } from "../../src/db/pg.ts";

const NAME = "recollect_docs";

/**
 * Runs a document's SQL as psql would, `\\c` included. Replaces the name `recollect` by a name of
 * the tests, and removes the login before each block that makes it.
 */
export async function runSql(serverUrl: string, blocks: readonly { at: string; text: string }[]): Promise<void> {
  const connect = (database?: string) => {
    const url = new URL(serverUrl);
    if (database !== undefined) url.pathname = `/${database}`;
    return openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
  };
  const admin = connect();
  const clear = async () => {
    await admin.executeSql(`DROP DATABASE IF EXISTS ${NAME} WITH (FORCE)`);
    await admin.executeSql(`DROP ROLE IF EXISTS ${NAME}`);
  };
  let current = admin;
  try {
    for (const { at, text } of blocks) {
      if (text.includes("CREATE ROLE")) {
        if (current !== admin) await current.close();
        current = admin;
        await clear();
      }
      for (const statement of statementsOf(text)) {
        const [, database] = /^\\c (\w+)$/.exec(statement) ?? [];
        if (database !== undefined) current = connect(database);
        else
          await current.executeSql(statement).catch((cause) => {
            throw new Error(`${at}: ${statement}`, { cause });
          });
      }
    }
  } finally {
    if (current !== admin) await current.close();
    await clear();
    await admin.close();
  }
}

function statementsOf(text: string): string[] {
  return text
    .replace(/--.*$/gm, "")
    .replace(/\brecollect\b/g, NAME)
    .replace(/^\\c .*$/gm, "$&;")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
