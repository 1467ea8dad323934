import type { Tenant } from "recollect/client";
import { chooseTenant } from "../../lib/connection.ts";
import { moment } from "../../lib/format.ts";
import { texts } from "../../lib/texts.ts";
import { PagedTable } from "../../ui/paged-table.tsx";

/** All tenants, for the operator, who can act in each. */
export function TenantsPart() {
  const enter = (id: string) => {
    chooseTenant(id);
    location.reload();
  };
  return (
    <PagedTable<Tenant>
      path="/v1/tenants"
      rows="tenants"
      keyOf={(tenant) => tenant.id}
      empty={texts.operate.noTenant}
      columns={{
        Name: ({ name }) => name,
        Id: ({ id }) => <code>{id}</code>,
        State: ({ disabled }) => (disabled ? "disabled" : "active"),
        Created: ({ createdAt }) => moment(createdAt),
        Actions: ({ id }) => (
          <button type="button" onClick={() => enter(id)}>
            {texts.labels.actInThisTenant}
          </button>
        ),
      }}
    />
  );
}
