import { RecollectError } from "recollect/client";
import { messageOf } from "../lib/connection.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";

/** Shows an error and its remedy in the service's own words. */
export function ErrorBox({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div role="alert" className="problem card">
      <p>{messageOf(error)}</p>
      {error instanceof RecollectError && <p className="quiet">{sentences.code(error.code)}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {texts.labels.tryAgain}
        </button>
      )}
    </div>
  );
}
