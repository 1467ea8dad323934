import type { Answer, CrashRequest } from "./crash-request.ts";

/**
 * The value of a place: a file's content, the versions of a fact, the messages of a session;
 * `undefined` if the place is empty.
 */
export type Value = string | undefined;

/**
 * A write that is under way, or whose outcome is unknown. It is carried out as a whole or not at
 * all.
 */
export interface Attempt {
  readonly wanted: ReadonlyMap<string, Value>;
  readonly request: CrashRequest;
  /**
   * Returns what is wrong with an answer. `repeated`: an earlier try may have been carried out, and
   * its answer is not given again.
   */
  readonly judge: (answer: Answer, repeated: boolean) => string | undefined;
  tries: number;
}

/**
 * The knowledge of the only writer of some places: for each place the value that was acknowledged
 * last, and at most one attempt that was not acknowledged. No other value may ever be stored there.
 */
export interface Ledger {
  acknowledged(place: string): Value;
  /**
   * Returns the attempt that a place waits for. Until it is settled, nothing else may be written
   * there.
   */
  open(place: string): Attempt | undefined;
  /**
   * @throws Error if a place has an open attempt: two values besides the acknowledged one would be
   * possible
   */
  begin(attempt: Omit<Attempt, "tries">): Attempt;
  acknowledge(attempt: Attempt): void;
  /** Notes the value that a place has from the beginning. */
  found(place: string, value: Value): void;
  /**
   * Settles the attempt of a place, as carried out or not, by a value that was read.
   *
   * @returns what is wrong with the value
   */
  saw(place: string, value: Value): string | undefined;
  /** Compares all stored values with the allowed ones. @returns the problems */
  compare(stored: ReadonlyMap<string, string>): string[];
  /**
   * Returns the number of writes that were acknowledged by an answer or a read, and of attempts
   * that never were.
   */
  figures(): Figures;
}

export interface Figures {
  acknowledged: number;
  /** Attempts that were given up, and whose outcome a read found later. */
  settled: number;
  unacknowledged: number;
}

interface Place {
  acknowledged: Value;
  /** Values that may not be stored any more, and why, to describe a value that comes back. */
  past: Map<Value, string>;
  open: Attempt | undefined;
}

export function createLedger(name: string): Ledger {
  const places = new Map<string, Place>();
  const figures = { acknowledged: 0, settled: 0 };
  const at = (place: string): Place => {
    const known = places.get(place) ?? { acknowledged: undefined, past: new Map<Value, string>(), open: undefined };
    places.set(place, known);
    return known;
  };
  const close = (attempt: Attempt, done: boolean) => {
    for (const [place, value] of attempt.wanted) {
      const known = at(place);
      if (done) {
        known.past.set(known.acknowledged, "has an earlier value");
        if (value === undefined && known.acknowledged !== undefined)
          known.past.set(known.acknowledged, "was deleted and is there");
        known.acknowledged = value;
      } else known.past.set(value, "has the value of an attempt that was read as not done");
      known.past.delete(known.acknowledged);
      known.open = undefined;
    }
  };
  const describe = (place: string, value: Value) => `${name}: ${place} ${wrongness(at(place), value)}`;
  const isOpen = () => new Set([...places.values()].flatMap(({ open }) => (open ? [open] : [])));
  return {
    acknowledged: (place) => places.get(place)?.acknowledged,
    open: (place) => places.get(place)?.open,
    begin: (asked) => {
      const attempt = { ...asked, tries: 0 };
      const busy = [...asked.wanted.keys()].find((place) => at(place).open !== undefined);
      if (busy !== undefined) throw new Error(`${name}: ${busy} waits for an attempt.`);
      for (const place of asked.wanted.keys()) at(place).open = attempt;
      return attempt;
    },
    acknowledge: (attempt) => {
      close(attempt, true);
      figures.acknowledged++;
    },
    found: (place, value) => {
      at(place).acknowledged = value;
    },
    saw: (place, value) => {
      const { acknowledged, open } = at(place);
      const wanted = open ? open.wanted.get(place) : acknowledged;
      if (value !== acknowledged && value !== wanted) return describe(place, value);
      if (open && acknowledged !== wanted) {
        close(open, value === wanted);
        figures.settled++;
      }
      return undefined;
    },
    compare: (stored) => {
      const unknown = [...stored.keys()].filter((place) => !places.has(place));
      const still = [...places].filter(([, { open }]) => !open);
      return [
        ...unknown.map((place) => `${name}: ${place} was never written`),
        ...still.flatMap(([place, { acknowledged }]) =>
          stored.get(place) === acknowledged ? [] : [describe(place, stored.get(place))],
        ),
        ...[...isOpen()].flatMap((attempt) => compareOpen(name, attempt, at, stored)),
      ];
    },
    figures: () => ({ ...figures, unacknowledged: isOpen().size }),
  };
}

/** Checks that all places of an attempt are as before, or that all are as wanted. */
function compareOpen(
  name: string,
  { wanted }: Attempt,
  at: (place: string) => Place,
  stored: ReadonlyMap<string, string>,
): string[] {
  const changed = [...wanted].filter(([place, value]) => at(place).acknowledged !== value);
  const wrong = [...wanted].filter(([place, value]) => ![at(place).acknowledged, value].includes(stored.get(place)));
  const done = changed.filter(([place, value]) => stored.get(place) === value);
  return [
    ...wrong.map(([place]) => `${name}: ${place} ${wrongness(at(place), stored.get(place))}`),
    ...(wrong.length > 0 || done.length === 0 || done.length === changed.length
      ? []
      : [`${name}: ${done.length} of the ${changed.length} places of one attempt are written`]),
  ];
}

function wrongness({ acknowledged, past }: Place, value: Value): string {
  if (value === undefined) return "is lost";
  return past.get(value) ?? `has ${acknowledged === undefined ? "a" : "another"} value that was never written`;
}
