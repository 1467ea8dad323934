import { useEffect, useState } from "react";

/** Contents that load faster show no skeleton, because a skeleton that flashes disturbs more than an empty place. */
const DELAY_MS = 150;
const WIDTHS = ["w-2/3", "w-11/12", "w-4/5", "w-1/2"] as const;

/** Grey lines in the place of a text that is being loaded. */
export function Skeleton({ lines }: { lines: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-hidden="true" className="flex flex-col gap-3 py-2">
      {Array.from({ length: lines }, (_, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
          key={at}
          className={`h-3.5 rounded ${WIDTHS[at % WIDTHS.length]} ${shown ? "animate-pulse bg-hover" : ""}`}
        />
      ))}
    </div>
  );
}
