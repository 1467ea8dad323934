import type pg from "pg";
import type { PgLimits } from "./pg-limits.ts";

/** The server did not answer in time, so its connection was closed. */
export class NoAnswer extends Error {
  constructor() {
    super("The database did not answer in time.");
  }
}

/** A statement that the server is asked about: by its process, or by its text where a pooler hides the process. */
export interface Asked {
  pid: number | undefined;
  text: string;
}

/** Whether the server runs a statement now; undefined when it cannot be asked. */
export type IsRunning = (asked: Asked) => Promise<boolean | undefined>;

/**
 * Watches that a connection answers. TCP does not notice a network that accepts bytes and loses them, as a balancer does that has lost
 * a session: without a deadline of our own a statement would be waited for as long as the process lives.
 */
export interface AnswerWatch {
  /**
   * Settles as the answer does. Answers come in the order of this. When one does not come in time the connection is closed, and it and
   * all behind it reject with `NoAnswer`.
   *
   * @param limitMs how long the server gives the statement
   */
  expect<T>(answer: Promise<T>, limitMs: number, text: string): Promise<T>;
  /** Closes the connection, as when an answer does not come in time. */
  giveUp(): void;
  /** The server's process while a transaction is open, where a pooler hides it. */
  pid: number | undefined;
  /** When the server answered last, by `performance.now()`. */
  heardAt(): number;
}

interface Expected {
  readonly limitMs: number;
  readonly text: string;
}

type Limits = Pick<PgLimits, "graceMs" | "lookMs">;

/** @param onNoAnswer is told when the connection is closed */
export function watchAnswers(
  client: pg.ClientBase,
  { graceMs, lookMs }: Limits,
  isRunning: IsRunning,
  onNoAnswer: () => void,
): AnswerWatch {
  const expected = new Set<Expected>();
  let [head, timer, heardAt]: [Expected | undefined, NodeJS.Timeout | undefined, number] = [
    undefined,
    undefined,
    performance.now(),
  ];
  const after = (ms: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
    timer.unref();
  };
  const close = () => {
    onNoAnswer();
    (client as pg.Client).connection.stream.destroy(new NoAnswer());
  };
  // In two steps: after a halt of this process the first timer comes before the answers that have arrived meanwhile.
  const closeSoon = (one: Expected, ms: number) =>
    after(ms, () => {
      if (head === one) after(graceMs, () => head === one && close());
    });
  // The server itself ends a statement that may take long. What the network has lost is told by the server's process: it runs nothing.
  const lookAt = (one: Expected, begun: number, misses: number) =>
    after(misses === 0 ? lookMs : lookMs / 2, () => {
      void isRunning({ pid: watch.pid, text: one.text }).then((runs) => {
        if (head !== one) return;
        const isOver = performance.now() - begun > one.limitMs + graceMs;
        // An answer may be on its way at the first time.
        if (isOver || (runs === false && misses > 0)) close();
        else lookAt(one, begun, runs === false ? 1 : 0);
      });
    });
  const next = () => {
    [head] = expected;
    clearTimeout(timer);
    if (head === undefined) return;
    if (head.limitMs <= 2 * lookMs) closeSoon(head, head.limitMs);
    else lookAt(head, performance.now(), 0);
  };
  const watch: AnswerWatch = {
    pid: undefined,
    giveUp: close,
    heardAt: () => heardAt,
    expect: async (answer, limitMs, text) => {
      const one = { limitMs, text };
      expected.add(one);
      if (head === undefined) next();
      try {
        return await answer;
      } finally {
        heardAt = performance.now();
        expected.delete(one);
        if (head === one) next();
      }
    },
  };
  return watch;
}
