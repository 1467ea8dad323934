/**
 * The current time; passed as a value so that tests can set it and SQL receives times as
 * parameters.
 */
export type Clock = () => Date;

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** The machine's clock. */
export const systemClock: Clock = () => new Date();
