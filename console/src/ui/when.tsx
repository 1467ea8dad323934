import { moment } from "../lib/format.ts";
import { texts } from "../texts/texts.ts";

/** A moment on one line; without one: that it never came. */
export function When({ at }: { at: string | null | undefined }) {
  return at ? <time dateTime={at}>{moment(at)}</time> : texts.never;
}
