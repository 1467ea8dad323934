import { sentences } from "../texts/sentences.ts";

export function Loading({ what }: { what: string }) {
  return (
    <p className="quiet" role="status">
      {sentences.loading(what)}
    </p>
  );
}
