import { moment } from "../lib/format.ts";
import { texts } from "../texts/texts.ts";

/** Shows a time on one line. Without a time, says that it never happened. */
export function When({ at }: { at: string | null | undefined }) {
  return at ? <time dateTime={at}>{moment(at)}</time> : texts.never;
}
