/** Tasks of several owners that share a few slots. */
export interface FairSlots {
  /**
   * Runs the task when the owner's turn comes, and returns the task's result.
   *
   * @throws the task's error
   */
  run<T>(owner: string, task: () => Promise<T>): Promise<T>;
}

interface Owner {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Creates slots that owners share. A free slot goes to the owner who holds the fewest, in turn
 * between equals, and to an owner's tasks in the order they came. So an owner's next task waits for
 * one task of each other owner, however many tasks the others have waiting.
 *
 * @param total the most tasks at a time
 * @param each the most tasks of one owner at a time. If this is less than `total`, an owner who
 *   holds no slot finds one free beside any one other owner
 */
export function createFairSlots({ total, each }: { total: number; each: number }): FairSlots {
  // Owners in the order of their turns: an owner who has had a slot goes to the end.
  const owners = new Map<string, Owner>();
  let running = 0;
  const next = (): string | undefined => {
    let chosen: { name: string; running: number } | undefined;
    for (const [name, owner] of owners) {
      if (owner.waiting.length === 0 || owner.running >= each) continue;
      if (chosen === undefined || owner.running < chosen.running) chosen = { name, running: owner.running };
    }
    return chosen?.name;
  };
  const fill = (): void => {
    while (running < total) {
      const name = next();
      const owner = name === undefined ? undefined : owners.get(name);
      if (name === undefined || owner === undefined) return;
      running++;
      owner.running++;
      owner.waiting.shift()?.();
    }
  };
  const leave = (name: string, owner: Owner): void => {
    running--;
    owner.running--;
    owners.delete(name);
    if (owner.running > 0 || owner.waiting.length > 0) owners.set(name, owner);
    fill();
  };
  return {
    run: async (name, task) => {
      const owner = owners.get(name) ?? { running: 0, waiting: [] };
      owners.set(name, owner);
      await new Promise<void>((resolve) => {
        owner.waiting.push(resolve);
        fill();
      });
      try {
        return await task();
      } finally {
        leave(name, owner);
      }
    },
  };
}
