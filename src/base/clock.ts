/** The current time; passed as a value so that tests can set it and SQL receives times as parameters. */
export type Clock = () => Date;

/** The machine's clock. */
export const systemClock: Clock = () => new Date();
