import { sentences } from "../lib/sentences.ts";

export function Loading({ what }: { what: string }) {
  return (
    <p className="quiet" role="status">
      {sentences.loading(what)}
    </p>
  );
}
