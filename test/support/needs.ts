import { inject, type TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Why a test is skipped: the end of the run says it. */
    skipped?: string;
  }
}

const ON_POSTGRES = inject("serverUrl") !== undefined;

/** Options of a test or a suite that is skipped on PGlite. @param why what PGlite lacks, and what tests it there if anything does */
export function needsPostgres(why: string): TestOptions {
  return ON_POSTGRES ? {} : skipped(`needs Postgres: ${why}`);
}

/** Options of a test or a suite that starts containers. With TEST_DATABASE_URL there may be no Docker. */
export function needsDocker(why: string): TestOptions {
  if (ON_POSTGRES && process.env.TEST_DATABASE_URL === undefined) return {};
  return skipped(`needs Docker: ${why}`);
}

/** Options of a test or a suite that is skipped whatever it needs. */
export function skipped(why: string): TestOptions {
  return { skip: true, meta: { skipped: why } };
}
