import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Pace } from "../base/pace.ts";

/** What bounds answers that nobody reads: they stay in memory. */
export interface AnswerLimits {
  /** The least speed of a client that reads an answer. */
  readonly pace: Pace;
  /** What all connections together may have waiting to be sent: answers that are made faster than their clients read them. */
  readonly unsentBytes: number;
}

/** 17 KB a second, and what a process can spare. */
const ANSWER_LIMITS: AnswerLimits = { pace: { bytes: 1_000_000, withinMs: 60_000 }, unsentBytes: 256_000_000 };
const COUNT_EVERY_MS = 250;
/** Requests of one connection that may wait for their answer. Clients of today send the next when they have the last. */
const MOST_PIPELINED = 16;
/** However much is waiting, nobody has longer than so many windows to read it. */
const MOST_WINDOWS = 2;

interface Watched {
  since: number;
  /** What had been sent and what was waiting then. */
  sent: number;
  waiting: number;
}

/**
 * Ends connections whose client does not read what it asked for, or much too slowly. A connection on which nothing waits to be
 * sent is left alone: its client may be waiting for us.
 *
 * @returns stops watching
 */
export function cutStalled(server: Server, { pace, unsentBytes } = ANSWER_LIMITS): () => void {
  const watched = new Map<Socket, Watched>();
  server.on("connection", (socket) => {
    watched.set(socket, { since: performance.now(), sent: 0, waiting: 0 });
    socket.once("close", () => watched.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, then] of watched) {
      const waiting = socket.writableLength;
      const sent = socket.bytesWritten - waiting;
      // One large write shows no progress until it is through, so it has the time that all of it may take.
      const windows = Math.min(MOST_WINDOWS, Math.max(1, then.waiting / pace.bytes));
      if (waiting > 0 && then.waiting > 0 && now - then.since < windows * pace.withinMs) continue;
      const due = Math.min(pace.bytes, then.waiting);
      if (waiting > 0 && then.waiting > 0 && sent - then.sent < due) socket.destroy();
      else watched.set(socket, { since: now, sent, waiting });
    }
  };
  const relieve = () => {
    let unsent = 0;
    for (const [socket] of watched) unsent += socket.writableLength;
    if (unsent <= unsentBytes) return;
    // Whoever has most waiting is the one who does not read.
    for (const socket of [...watched.keys()].sort((a, b) => b.writableLength - a.writableLength)) {
      if (unsent <= unsentBytes) return;
      unsent -= socket.writableLength;
      socket.destroy();
    }
  };
  limitPipelines(server);
  const timers = [setInterval(look, pace.withinMs / 6), setInterval(relieve, COUNT_EVERY_MS)];
  for (const timer of timers) timer.unref();
  return () => timers.forEach(clearInterval);
}

/** Ends a connection that asks again and again without waiting for answers: each would be made and kept. */
function limitPipelines(server: Server): void {
  const waiting = new WeakMap<Socket, number>();
  server.on("request", ({ socket }, response) => {
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > MOST_PIPELINED) socket.destroy();
    response.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
  });
}
