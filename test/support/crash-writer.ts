import type { SqlExecutor } from "../../src/db/database.ts";
import type { Attempt, Ledger, Value } from "./crash-ledger.ts";
import { type Access, type Answer, type ClientLog, type CrashRequest, pause, send } from "./crash-request.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Sends writes and keeps their ledger. */
export interface CrashWriter {
  ledger: Ledger;
  /**
   * Sends until the write is acknowledged, or gives up and leaves the attempt open.
   *
   * @returns whether it was acknowledged
   */
  write(wanted: ReadonlyMap<string, Value>, request: CrashRequest, judge?: Attempt["judge"]): Promise<boolean>;
  /**
   * Settles the attempt that a place waits for: sends it again unchanged, or reads its outcome.
   *
   * @returns whether the place may be written now
   */
  settle(place: string, read: () => Promise<void>): Promise<boolean>;
  /** Notes a value that was read at a place. */
  saw(place: string, value: Value): void;
}

/** One client of a run. */
export interface CrashClient {
  /** Sends one request chosen at random. */
  step(): Promise<void>;
  /** Compares the database with the acknowledged writes. */
  check(db: SqlExecutor): Promise<string[]>;
  /** The ledger of the client's places; absent for a client that leaves nothing behind. */
  ledger?: Ledger;
  /** Describes what the client has done besides writing, for the log of the run. */
  describe?(): string;
}

/** The chance of giving up after a try without an answer; the attempt then stays open. */
const GIVE_UP = 0.2;
/** The share of writes that carry an Idempotency-Key, the same at every try. */
const WITH_KEY = 0.5;

/** The expectation of a write that has no other. */
export const judgeOk: Attempt["judge"] = ({ status, code }) =>
  status === 200 || status === 201 ? undefined : `${status} ${code}`;

export function crashWriter(ledger: Ledger, access: Access, random: SeededRandom, log: ClientLog): CrashWriter {
  const carryOut = async (attempt: Attempt) => {
    const { request, judge } = attempt;
    do {
      const answer: Answer | undefined = await send(access, log, request);
      if (answer) {
        // With an Idempotency-Key the service repeats its first answer.
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
