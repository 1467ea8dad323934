import type { MemoryTrouble, Said } from "./adapter-options.ts";
import { isOutage, reasonOf } from "./outage.ts";

/** Words on their way to one agent's memory. */
export interface Parcel {
  readonly said: readonly Said[];
  send(): Promise<unknown>;
  report(trouble: MemoryTrouble): void;
}

export interface Outbox {
  /** Resolves when the parcel is sent, lost, or waits for the next one. Never rejects. */
  add(parcel: Parcel): Promise<void>;
}

/** Parcels kept during an outage; a long one must not fill the process's memory. */
const MAX_WAITING = 100;

/**
 * Sends parcels in their order. What an outage holds back is sent together with the next parcel; what the service refuses, and what
 * no longer fits, is lost. Each is reported.
 */
export function createOutbox(): Outbox {
  const waiting: Parcel[] = [];
  let sending: Promise<void> | undefined;
  const sendAll = async () => {
    try {
      for (let parcel = waiting[0]; parcel; parcel = waiting[0]) {
        const error = await parcel.send().then(
          () => undefined,
          (cause: unknown) => ({ cause }),
        );
        if (error && isOutage(error.cause)) return parcel.report(kept(waiting, error.cause));
        // It may have been given up meanwhile.
        if (waiting[0] === parcel) waiting.shift();
        if (error) parcel.report(lost(parcel, error.cause));
      }
    } finally {
      sending = undefined;
    }
  };
  return {
    add: (parcel) => {
      waiting.push(parcel);
      const oldest = waiting.length > MAX_WAITING ? waiting.shift() : undefined;
      oldest?.report(lost(oldest, new Error(`More than ${MAX_WAITING} turns wait for the memory.`)));
      sending ??= sendAll();
      return sending;
    },
  };
}

function kept(waiting: readonly Parcel[], error: unknown): MemoryTrouble {
  const count = waiting.reduce((sum, { said }) => sum + said.length, 0);
  const message = `${count} messages are not stored yet; they are sent with the next turn of this process. ${reasonOf(error)}`;
  return { step: "capture", message, error };
}

function lost({ said }: Parcel, error: unknown): MemoryTrouble {
  return { step: "capture", message: `${said.length} messages were not stored. ${reasonOf(error)}`, error, lost: said };
}
