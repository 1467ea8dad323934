import type { ParseTask } from "../../service/core/parse-threads.ts";
import { type CheckedBody, checkBody } from "./check-body.ts";
import { LARGE_BODIES, type LargeBody } from "./large-bodies.ts";

/** A large body for a thread to check. */
export interface LargeBodyTask extends ParseTask {
  readonly schema: LargeBody;
  readonly once: readonly string[] | undefined;
}

/** Checks a large body, in a worker thread. */
// biome-ignore lint/style/noDefaultExport: Piscina runs a worker file's default export
export default function checkLargeBody({ bytes, schema, once }: LargeBodyTask): CheckedBody {
  return checkBody(bytes, LARGE_BODIES[schema], once);
}
