import { setTimeout } from "node:timers/promises";
import { inNextTurn } from "./yield-to-loop.ts";

/**
 * The longest rest. A slice that waited for a slow database did less work than its time suggests.
 */
const MAX_REST_MS = 60;
/**
 * How long work may hold the event loop. A request needs some ten turns of the loop: with slices of
 * 15 ms, requests that ran beside the work took twice as long.
 */
const SLICE_MS = 5;

/**
 * The turns of the event loop that stay free after each slice. A write takes some ten turns, and
 * each turn also runs the other work of the searches that keep the loop busy. A median turn took 9
 * ms without free turns, and 4 ms with two of them.
 */
const FREE_TURNS = 2;

/** Owners whose work waits for its next slice, in the order of their turns. */
const waiting = new Map<string, (() => void)[]>();
let isTakingTurns = false;

/**
 * Waits for the owner's next turn. In one of three turns of the event loop one piece of work goes
 * on, and owners take turns. With `setImmediate` all waiting work went on in the same turn: 24
 * searches of one agent held everybody up for 24 slices.
 */
export function nextTurn(owner: string): Promise<void> {
  return new Promise((resolve) => {
    const own = waiting.get(owner);
    if (own) own.push(resolve);
    else waiting.set(owner, [resolve]);
    if (!isTakingTurns) inNextTurn(goOn);
    isTakingTurns = true;
  });
}

function goOn(): void {
  const [first] = waiting;
  isTakingTurns = first !== undefined;
  if (!first) return;
  const [owner, own] = first;
  waiting.delete(owner);
  own.shift()?.();
  if (own.length > 0) waiting.set(owner, own);
  afterTurns(FREE_TURNS, goOn);
}

function afterTurns(count: number, next: () => void): void {
  inNextTurn(() => (count > 0 ? afterTurns(count - 1, next) : next()));
}

/**
 * Makes a function for work in many short parts, which awaits it after each part. The function
 * yields to the event loop when a slice of time is over.
 *
 * @param rests for background work: it rests this many times as long as the slice took
 * @param owner a name for the agent or tenant that the work belongs to; owners take turns
 */
export function createYielder(rests = 0, owner = ""): () => Promise<void> {
  let began = performance.now();
  return async () => {
    const took = performance.now() - began;
    if (took < SLICE_MS) return;
    if (rests > 0) await setTimeout(Math.min(rests * took, MAX_REST_MS));
    else await nextTurn(owner);
    began = performance.now();
  };
}
