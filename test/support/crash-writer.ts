import type { SqlExecutor } from "../../src/db/database.ts";
import type { Attempt, Ledger, Value } from "./crash-ledger.ts";
import { type Access, type Answer, type ClientLog, type CrashRequest, pause, send } from "./crash-request.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Writes what a ledger then knows. */
export interface CrashWriter {
  ledger: Ledger;
  /** Sends until it is acknowledged, or gives up: then the attempt stays open. @returns whether it was acknowledged */
  write(wanted: ReadonlyMap<string, Value>, request: CrashRequest, judge?: Attempt["judge"]): Promise<boolean>;
  /**
   * Settles what a place waits for: sends it again as it was, or reads what became of it.
   *
   * @returns whether the place may be written now
   */
  settle(place: string, read: () => Promise<void>): Promise<boolean>;
  /** Notes what was read of a place. */
  saw(place: string, value: Value): void;
}

/** One client of a run. */
export interface CrashClient {
  /** One request chosen at random. */
  step(): Promise<void>;
  /** Compares the database with what was acknowledged. */
  check(db: SqlExecutor): Promise<string[]>;
  /** What it knows of its places; a client that leaves nothing behind has none. */
  ledger?: Ledger;
  /** What it has done beside writing, for the log of the run. */
  describe?(): string;
}

/** Of the tries that got no answer, so many are the last for now: what they did stays open. */
const GIVE_UP = 0.2;
/** The share of writes that carry an Idempotency-Key, the same at every try. */
const WITH_KEY = 0.5;

/** What every write expects unless it says otherwise. */
export const judgeOk: Attempt["judge"] = ({ status, code }) =>
  status === 200 || status === 201 ? undefined : `${status} ${code}`;

export function crashWriter(ledger: Ledger, access: Access, random: SeededRandom, log: ClientLog): CrashWriter {
  const carryOut = async (attempt: Attempt) => {
    const { request, judge } = attempt;
    do {
      const answer: Answer | undefined = await send(access, log, request);
      if (answer) {
        // With a key the first answer is given again.
        const problem = judge(answer, attempt.tries > 0 && request.once === undefined);
        if (problem) log.problems.push(`${request.method} ${request.path}: ${problem} at try ${attempt.tries + 1}`);
        ledger.acknowledge(attempt);
        return true;
      }
      attempt.tries++;
      await pause(random.between(20, 200));
    } while (!random.chance(GIVE_UP));
    return false;
  };
  return {
    ledger,
    write: (wanted, request, judge = judgeOk) => {
      const once = random.chance(WITH_KEY) ? crypto.randomUUID() : undefined;
      return carryOut(ledger.begin({ wanted, request: { once, ...request }, judge }));
    },
    settle: async (place, read) => {
      const open = ledger.open(place);
      if (open && random.chance(0.5)) await carryOut(open);
      else if (open) await read();
      return ledger.open(place) === undefined;
    },
    saw: (place, value) => {
      const problem = ledger.saw(place, value);
      if (problem) log.problems.push(`${problem}, as it was read`);
    },
  };
}
