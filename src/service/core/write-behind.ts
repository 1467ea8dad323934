import { AppError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";

/** Sums that a process writes later, so that no request waits for them. */
export interface WriteBehind<Row> {
  add(row: Row): void;
  /** Writes the rows that have been added. */
  flush(): Promise<void>;
  /** Writes the remaining rows and stops. */
  stop(): Promise<void>;
}

interface WriteBehindOptions<Row> {
  /** The name of the rows in the log, such as `the usage of queries`. */
  what: string;
  /** Returns a row's key. Rows with the same key are summed up. */
  keyOf: (row: Row) => string;
  sum: (one: Row, other: Row) => Row;
  write: (rows: Row[]) => Promise<void>;
  /** The most keys that wait. Rows with further keys are dropped. */
  maxRows: number;
  logger: Logger;
}

/** The interval between writes. A crash loses at most the sums of one interval. */
const FLUSH_MS = 5000;

/** Sums up rows in this process and writes the sums every few seconds, and at the end. */
export function startWriteBehind<Row>(options: WriteBehindOptions<Row>): WriteBehind<Row> {
  const { keyOf, sum, maxRows, logger } = options;
  let waiting = new Map<string, Row>();
  let writing: Promise<void> = Promise.resolve();
  let failed = false;
  const add = (row: Row) => {
    const key = keyOf(row);
    const known = waiting.get(key);
    if (known !== undefined || waiting.size < maxRows) waiting.set(key, known === undefined ? row : sum(known, row));
  };
  const write = async () => {
    if (waiting.size === 0) return;
    const rows = [...waiting.values()];
    waiting = new Map();
    try {
      await options.write(rows);
      failed = false;
    } catch (error) {
      // The database is unavailable, so these rows are written with the next ones.
      rows.forEach(add);
      const code = error instanceof AppError ? error.code : "unknown";
      // Warn once, and not every few seconds.
      if (!failed) logger.warn({ code }, `${options.what} could not be written and is kept`);
      failed = true;
    }
  };
  // Writes run one after the other, so that only one is in flight when the process ends.
  const flush = () => {
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    add,
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
