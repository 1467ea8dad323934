import { count as format } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";

/** Says how many rows a table shows, and of how many. */
export function Shown({ count, of }: { count: number; of: number }) {
  if (of === 0) return null;
  return (
    <p role="status" className="tabular text-sm text-fg-2">
      {count === of ? texts.operator.shownAll(format(of)) : texts.operator.shownOf(format(count), format(of))}
    </p>
  );
}
