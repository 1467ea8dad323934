import type { Tenant } from "recollect/client";
import { chooseTenant } from "../../lib/connection.ts";
import { texts } from "../../texts/texts.ts";
import { PagedTable } from "../../ui/paged-table.tsx";
import { When } from "../../ui/when.tsx";

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
        [texts.columns.name]: ({ name }) => name,
        [texts.columns.id]: ({ id }) => <code>{id}</code>,
        [texts.columns.state]: ({ disabled }) =>
          disabled ? texts.operate.states.disabled : texts.operate.states.active,
        [texts.columns.created]: ({ createdAt }) => <When at={createdAt} />,
        [texts.columns.actions]: ({ id }) => (
          <button type="button" onClick={() => enter(id)}>
            {texts.labels.actInThisTenant}
          </button>
        ),
      }}
    />
  );
}
