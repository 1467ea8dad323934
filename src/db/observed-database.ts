import type { Logger } from "../base/logger.ts";
import { currentContext } from "../base/request-context.ts";
import type { Metrics } from "../observe/metrics.ts";
import { inSpan } from "../observe/trace.ts";
import type { Database, ExecuteOptions, Row, SqlExecutor } from "./database.ts";

export interface DatabaseObserver {
  metrics: Metrics;
  logger: Logger;
  /** The duration in milliseconds from which a statement is logged; 0: none is logged. */
  slowMs: number;
}

/**
 * The first words of statements that metrics tell apart. All other words count as one, so that
 * metrics have few series.
 */
const OPERATIONS: ReadonlySet<string> = new Set([
  ...["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN", "COMMIT", "SET", "CREATE", "DROP", "LOCK", "NOTIFY"],
]);
const MAX_CHARS = 500;

/**
 * Returns the same database, with each statement counted, timed, traced and, if it is slow, logged.
 * A statement is shown with its text from the code. Its values are parameters, which are never
 * recorded.
 */
export function observeDatabase(db: Database, observer: DatabaseObserver): Database {
  return {
    ...db,
    executeSql: observed(db, observer),
    transaction: (fn, options) =>
      inSpan("transaction", {}, async () => {
        const begun = performance.now();
        let committing = begun;
        const result = await db.transaction(async (tx) => {
          note(observer, "BEGIN", begun, 0);
          const answer = await fn({
            executeSql: observed(tx, observer),
            endRole: async (last) =>
              void (await observeStatement(last, () => tx.endRole(last).then(() => undefined), observer)),
            isCluster: tx.isCluster,
          });
          committing = performance.now();
          return answer;
        }, options);
        note(observer, "COMMIT", committing, 0);
        return result;
      }),
  };
}

function observed(sql: SqlExecutor, observer: DatabaseObserver): SqlExecutor["executeSql"] {
  return <R = Row>(text: string, values?: readonly unknown[], options?: ExecuteOptions) =>
    observeStatement(text, () => sql.executeSql<R>(text, values, options), observer);
}

function observeStatement<T extends { rows: unknown[] } | undefined>(
  text: string,
  execute: () => Promise<T>,
  observer: DatabaseObserver,
): Promise<T> {
  return inSpan("sql", { role: "client" }, async (span) => {
    const begun = performance.now();
    let rows = 0;
    try {
      const answer = await execute();
      rows = answer?.rows.length ?? 0;
      return answer;
    } finally {
      if (span.isRecording()) {
        const attributes = { "db.system.name": "postgresql", "db.operation.name": operationOf(text) };
        span.updateName(`sql ${operationOf(text)}`);
        span.setAttributes({ ...attributes, "db.query.text": shown(text), "db.response.returned_rows": rows });
      }
      note(observer, text, begun, rows);
    }
  });
}

function note({ metrics, logger, slowMs }: DatabaseObserver, text: string, begun: number, rows: number): void {
  const ms = performance.now() - begun;
  const work = currentContext();
  if (work) work.statements++;
  const operation = operationOf(text);
  metrics.statements.observe({ operation }, ms / 1000);
  if (slowMs === 0 || ms < slowMs) return;
  metrics.slowStatements.inc();
  // Logged as info, not as a warning: terminal commands show warnings, and the first start creates
  // a schema, which is slow.
  logger.info({ operation, ms: Math.round(ms), rows, statement: shown(text) }, "slow statement");
}

function operationOf(text: string): string {
  const [, word = ""] = /^\s*([a-z]+)/i.exec(text) ?? [];
  const operation = word.toUpperCase();
  return OPERATIONS.has(operation) ? operation : "OTHER";
}

/**
 * Returns the statement on one line. Its only literals come from our own code, and they are masked
 * all the same.
 */
function shown(text: string): string {
  const masked = text.replace(/'(?:[^']|'')*'/g, "'…'").replace(/\$([a-z_]*)\$[\s\S]*?\$\1\$/gi, "'…'");
  return masked.replace(/\s+/g, " ").trim().slice(0, MAX_CHARS);
}
