import { ArrowLeftRight, Building2, Undo2 } from "lucide-react";
import { chooseOwnTenant, mayDo } from "../lib/connection.ts";
import { navigate } from "../router/history.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Menu } from "../ui/menu.tsx";
import { useConnection } from "./connection-context.ts";
import { workspacePlacesOf } from "./places.ts";

/** The name of the tenant, which opens the workspace and, for an operator, the other tenants. */
export function TenantMenu({ away }: { away: boolean }) {
  const { key } = useConnection();
  const places = workspacePlacesOf(key);
  return (
    <Menu
      label={texts.header.tenant(key.tenantName)}
      trigger={(props) => (
        <button
          {...props}
          type="button"
          aria-label={texts.header.tenant(key.tenantName)}
          className={`flex h-8 min-w-0 items-center rounded-md px-1.5 hover:bg-hover max-md:max-w-24 ${
            away ? "font-semibold text-warn" : "text-fg-2"
          }`}
        >
          <span className="truncate">{key.tenantName}</span>
        </button>
      )}
      head={
        <p className="flex items-center gap-2 px-2 py-1.5 text-xs text-fg-2">
          <Building2 aria-hidden="true" className="size-4" />
          {texts.places.workspace}
        </p>
      }
      items={[
        ...places.map(({ label, icon, to }) => ({ label, icon, onChoose: () => navigate({ to }) })),
        mayDo(key, "admin") &&
          key.agentId === null && {
            label: texts.header.switchTenant,
            icon: ArrowLeftRight,
            onChoose: () => navigate({ to: "/workspace/access", search: { view: "tenants" } }),
          },
        away && {
          label: sentences.backTo(key.ownTenant.name),
          icon: Undo2,
          onChoose: () => {
            chooseOwnTenant();
            location.reload();
          },
        },
      ]}
    />
  );
}
