import { chooseOwnTenant } from "../lib/connection.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { useConnection } from "./connection-context.ts";

/** Warns an operator who acts in another tenant than the key's own, until he goes back. */
export function TenantBanner() {
  const { tenantId, tenantName, ownTenant } = useConnection().key;
  if (tenantId === ownTenant.id) return null;
  const goHome = () => {
    chooseOwnTenant();
    location.reload();
  };
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-center gap-x-3 border-b border-border bg-warn-soft px-4 py-1 text-sm text-fg"
    >
      <span>
        {texts.labels.inAnotherTenant} <strong>{tenantName}</strong>
      </span>
      <Button size="small" onClick={goHome}>
        {sentences.backTo(ownTenant.name)}
      </Button>
    </div>
  );
}
