import { z } from "zod";

const EARLIEST = Date.parse("0001-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59Z");

/** An instant that Postgres and JSON both write with four digits of year. */
export const timestamp = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((at) => at.getTime() >= EARLIEST && at.getTime() <= LATEST, "must lie in the years 1 to 9999");
