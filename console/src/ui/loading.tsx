import { sentences } from "../texts/sentences.ts";
import { Skeleton } from "./skeleton.tsx";

/** Holds the place of something that is being loaded. */
export function Loading({ what, lines = 4 }: { what: string; lines?: number }) {
  return (
    <div role="status" className="p-1">
      <span className="sr-only">{sentences.loading(what)}</span>
      <Skeleton lines={lines} />
    </div>
  );
}
