import type pg from "pg";
import type { PgLimits } from "./pg-limits.ts";

/** The server did not answer in time, so its connection was closed. */
export class NoAnswer extends Error {
  constructor() {
    super("The database did not answer in time.");
  }
}

/**
 * A statement whose state the server is asked for. Its process identifies it, or its text when a
 * pooler hides the process.
 */
export interface Asked {
  pid: number | undefined;
  text: string;
}

/** Tells whether the server runs a statement now; undefined when the server cannot be asked. */
export type IsRunning = (asked: Asked) => Promise<boolean | undefined>;

/**
 * Watches that a connection answers. TCP does not notice a network that accepts bytes and loses
 * them, as a load balancer does after it has lost a session. Without a deadline of our own, a
 * statement would wait as long as the process lives.
 */
export interface AnswerWatch {
  /**
   * Settles as the answer does. Answers arrive in the order of the calls. When an answer does not
   * arrive in time, the connection is closed, and this answer and all later ones reject with
   * `NoAnswer`.
   *
   * @param limitMs how long the server gives the statement
   */
  expect<T>(answer: Promise<T>, limitMs: number, text: string): Promise<T>;
  /** Closes the connection, as if an answer had not arrived in time. */
  giveUp(): void;
  /**
   * The server process of this connection. Behind a pooler it is known only during a long
   * transaction, which asks for it.
   */
  pid: number | undefined;
  /** The time of the server's last answer, by `performance.now()`. */
  heardAt(): number;
}

interface Expected {
  readonly limitMs: number;
  readonly text: string;
}

type Limits = Pick<PgLimits, "graceMs" | "lookMs">;

/**
 * Creates the watch of one connection.
 *
 * @param onNoAnswer is called when the connection is closed
 */
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
  // Waits in two steps. After this process stood still, the first timer fires before the answers
  // that arrived meanwhile are read. The second step gives them time.
  const closeSoon = (one: Expected, ms: number) =>
    after(ms, () => {
      if (head === one) after(graceMs, () => head === one && close());
    });
  // The server itself ends a statement with a long limit. If the network has lost the statement or
  // its answer, the server process runs nothing. So the server is asked whether it still runs the
  // statement.
  const lookAt = (one: Expected, begun: number, misses: number) =>
    after(misses === 0 ? lookMs : lookMs / 2, () => {
      void isRunning({ pid: watch.pid, text: one.text }).then((runs) => {
        if (head !== one) return;
        const isOver = performance.now() - begun > one.limitMs + graceMs;
        // The first time the server process runs nothing, the answer may be on its way.
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
