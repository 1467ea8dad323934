import { chooseOwnTenant } from "../lib/connection.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { useConnection } from "./connection-context.ts";

/** Shows the tenant in which the user acts, the key and the key's scopes. */
export function Whereabouts() {
  const { tenantId, tenantName, ownTenant, keyName, scopes } = useConnection().key;
  const isAway = tenantId !== ownTenant.id;
  const goHome = () => {
    chooseOwnTenant();
    location.reload();
  };
  return (
    <section className="whereabouts" data-away={isAway} aria-label={texts.labels.whereYouAre}>
      <span>
        {isAway ? texts.labels.inAnotherTenant : texts.labels.tenant} <strong title={tenantId}>{tenantName}</strong>
      </span>
      <span>
        {keyName === null ? texts.labels.withoutAKey : sentences.underKey(keyName)} ({scopes.join(", ")})
      </span>
      {isAway && (
        <button type="button" onClick={goHome}>
          {sentences.backTo(ownTenant.name)}
        </button>
      )}
    </section>
  );
}
