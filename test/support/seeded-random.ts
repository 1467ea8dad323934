/** Random choices that a seed repeats. */
export interface SeededRandom {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** Choices of its own for one of several actors, whatever the others do meanwhile. */
  fork(name: string): SeededRandom;
}

/** Mulberry32 (Tommy Ettinger, public domain): small and good enough to choose what a test does next. */
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
