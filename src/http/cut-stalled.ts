import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Pace } from "../base/pace.ts";

/** Limits for answers that their clients do not read. Such answers stay in memory. */
export interface AnswerLimits {
  /** The least speed at which a client must read an answer. */
  readonly pace: Pace;
  /**
   * The most bytes that may wait to be sent on all connections together. These bytes grow when
   * answers are made faster than clients read them.
   */
  readonly unsentBytes: number;
}

/** A pace of 17 KB a second, and as many unsent bytes as a process can spare. */
const ANSWER_LIMITS: AnswerLimits = { pace: { bytes: 1_000_000, withinMs: 60_000 }, unsentBytes: 256_000_000 };
const COUNT_EVERY_MS = 250;
/**
 * The most requests of one connection that may wait for an answer. Modern clients do not pipeline
 * requests.
 */
const MOST_PIPELINED = 16;
/** The most windows of the pace that a client has to read an answer, however much is waiting. */
const MOST_WINDOWS = 2;

interface Watched {
  since: number;
  /** The bytes sent and the bytes waiting at the time `since`. */
  sent: number;
  waiting: number;
}

/**
 * Ends connections whose client does not read its answer, or reads it much too slowly. A connection
 * with nothing waiting to be sent is left alone: its client may be waiting for the server.
 *
 * @returns a function that stops watching
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
      // One large write shows no progress until all of it is through, so it gets the time that all
      // of it may take.
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
    // The connection with most bytes waiting is closed first: its client is the one that does not
    // read.
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

/**
 * Ends a connection that sends request after request without waiting for answers, because every
 * answer would be made and kept in memory.
 */
function limitPipelines(server: Server): void {
  const waiting = new WeakMap<Socket, number>();
  server.on("request", ({ socket }, response) => {
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > MOST_PIPELINED) socket.destroy();
    response.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
  });
}
