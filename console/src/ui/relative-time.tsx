import { ago, exactMoment, shortDay } from "../lib/format.ts";
import { texts } from "../texts/texts.ts";

/** Shows how long ago a time was; the exact time appears at the pointer. */
export function RelativeTime({ at, byDay = false }: { at: string | null | undefined; byDay?: boolean }) {
  if (!at) return <>{texts.never}</>;
  return (
    <time dateTime={at} title={exactMoment(at)} className="whitespace-nowrap">
      {byDay ? shortDay(at) : ago(at)}
    </time>
  );
}
