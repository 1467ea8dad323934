import { CircleAlert } from "lucide-react";
import { RecollectError } from "recollect/client";
import { messageOf } from "../lib/connection.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";

/** Shows an error and its remedy in the service's own words, and a way to try again. */
export function ErrorBox({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const code = error instanceof RecollectError ? error.code : undefined;
  return (
    <div role="alert" className="flex items-start gap-3 rounded-lg border border-border bg-bad-soft p-3 text-sm">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 grow">
        <p className="[overflow-wrap:anywhere]">{(code && texts.errors[code]) ?? messageOf(error)}</p>
        {code && <p className="text-xs text-fg-2">{sentences.code(code)}</p>}
      </div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          {texts.labels.tryAgain}
        </Button>
      )}
    </div>
  );
}
