import { AppError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";

/** Sums that a process writes later, so that no request waits for it. */
export interface WriteBehind<Row> {
  add(row: Row): void;
  /** Writes what has been added. */
  flush(): Promise<void>;
  /** Writes the rest and ends. */
  stop(): Promise<void>;
}

interface WriteBehindOptions<Row> {
  /** For the log: `the usage of queries`. */
  what: string;
  /** Rows with one key are summed up. */
  keyOf: (row: Row) => string;
  sum: (one: Row, other: Row) => Row;
  write: (rows: Row[]) => Promise<void>;
  /** The most keys that wait, whatever comes; rows of further ones are not kept. */
  maxRows: number;
  logger: Logger;
}

/** A crash loses at most so many milliseconds. */
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
      // The database is unavailable: they are written with the next ones.
      rows.forEach(add);
      const code = error instanceof AppError ? error.code : "unknown";
      // Once, and not every few seconds.
      if (!failed) logger.warn({ code }, `${options.what} could not be written and is kept`);
      failed = true;
    }
  };
  // One after the other, so that only one is in flight when the process ends.
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
