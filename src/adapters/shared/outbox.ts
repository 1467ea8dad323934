import type { MemoryTrouble, Said } from "./adapter-options.ts";
import { isOutage, reasonOf } from "./outage.ts";

/** Messages on their way to an agent's memory. */
export interface Parcel {
  /**
   * The conversation whose order the parcel keeps. Parcels of different conversations do not wait
   * for each other.
   */
  readonly conversation: string;
  readonly said: readonly Said[];
  /** The time that a turn waits for this parcel and for the parcels ahead of it. */
  readonly timeoutMs: number;
  /** @param signal ends the request when the turn's time limit is reached */
  send(signal: AbortSignal): Promise<unknown>;
  report(trouble: MemoryTrouble): void;
}

export interface Outbox {
  /**
   * Queues a parcel. Resolves when the parcel is sent, is lost, or waits for a later turn. Never
   * rejects.
   */
  add(parcel: Parcel): Promise<void>;
  /**
   * Sends the parcels of a conversation that wait. Never rejects.
   *
   * @returns the number of messages that still wait
   */
  flush(conversation: string): Promise<number>;
}

/**
 * The maximum number of parcels kept during an outage. A long outage must not fill the process's
 * memory.
 */
const MAX_HELD = 100;

/**
 * Creates an outbox, which sends the parcels of each conversation in order. A parcel that an outage
 * holds back is sent with the next parcel of its conversation, or after another conversation's
 * parcel has arrived. A parcel is lost if the service refuses it, or if more than 100 parcels wait.
 * Both cases are reported.
 */
export function createOutbox(): Outbox {
  /** The parcels in the order of their arrival. */
  const waiting: Parcel[] = [];
  const underWay = new Set<Parcel>();
  const senders = new Map<string, Promise<void>>();
  const held = () => waiting.filter((parcel) => !underWay.has(parcel));
  const take = (parcel: Parcel) => {
    // The parcel may have been given up in the meantime.
    const at = waiting.indexOf(parcel);
    if (at >= 0) waiting.splice(at, 1);
  };

  const giveUp = () => {
    for (const oldest of held().slice(0, -MAX_HELD)) {
      take(oldest);
      oldest.report(lost(oldest, new Error(`More than ${MAX_HELD} turns wait for the memory.`)));
    }
  };
  const sendAll = async (conversation: string, signal: AbortSignal) => {
    const next = () => waiting.find((parcel) => parcel.conversation === conversation);
    for (let parcel = next(); parcel; parcel = next()) {
      underWay.add(parcel);
      const failure = await parcel.send(signal).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      underWay.delete(parcel);
      if (failure && isOutage(failure.error)) {
        giveUp();
        return parcel.report(kept(held(), failure.error));
      }
      take(parcel);
      if (failure) parcel.report(lost(parcel, failure.error));
    }
  };
  const send = ({ conversation, timeoutMs }: Parcel): Promise<void> => {
    const running = senders.get(conversation);
    if (running) return running;
    const sender = sendAll(conversation, AbortSignal.timeout(timeoutMs)).finally(() => senders.delete(conversation));
    senders.set(conversation, sender);
    return sender;
  };
  let sendingOthers = false;
  /**
   * The service answers again. Sends the waiting parcels of other conversations too, one after the
   * other. No turn waits for them.
   */
  const sendOthers = async () => {
    if (sendingOthers) return;
    sendingOthers = true;
    for (let parcel = held()[0]; parcel; parcel = held()[0]) {
      await send(parcel);
      if (waiting.includes(parcel)) break;
    }
    sendingOthers = false;
  };
  return {
    add: async (parcel) => {
      waiting.push(parcel);
      const sent = send(parcel);
      giveUp();
      await sent;
      if (!waiting.includes(parcel)) void sendOthers();
    },
    flush: async (conversation) => {
      const left = () => waiting.filter((parcel) => parcel.conversation === conversation);
      const [first] = left();
      if (first) await send(first);
      return countMessages(left());
    },
  };
}

function countMessages(parcels: readonly Parcel[]): number {
  return parcels.reduce((sum, { said }) => sum + said.length, 0);
}

function kept(waiting: readonly Parcel[], error: unknown): MemoryTrouble {
  const message = `Messages that are not stored yet: ${countMessages(waiting)}; they are sent with the next turn of this process. ${reasonOf(error)}`;
  return { step: "capture", message, error };
}

function lost({ said }: Parcel, error: unknown): MemoryTrouble {
  return {
    step: "capture",
    message: `Messages that were not stored: ${said.length}. ${reasonOf(error)}`,
    error,
    lost: said,
  };
}
