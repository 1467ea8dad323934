/** Random choices that are the same for the same seed. */
export interface SeededRandom {
  /** Returns a number from 0 up to 1. */
  next(): number;
  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** Returns separate choices for one of several actors, independent of the others. */
  fork(name: string): SeededRandom;
}

/**
 * Returns choices by Mulberry32 (Tommy Ettinger, public domain): small, and good enough to choose a
 * test's next action.
 */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const random: SeededRandom = {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (share) => next() < share,
    pick: (from) => from[Math.floor(next() * from.length)] ?? from[0],
    fork: (name) => seededRandom([...name].reduce((sum, char) => Math.imul(sum, 31) + char.charCodeAt(0), seed)),
  };
  return random;
}
