import { Plus } from "lucide-react";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Refused } from "../../ui/refused.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { KeyFilters, KeysPart } from "./keys.tsx";
import { TenantsPart } from "./tenants.tsx";

/** Shows who may do what: the keys of the tenant, and the tenants. */
export function AccessPage() {
  const { search, change } = useViewAddress();
  const { key } = useConnection();
  const operates = mayDo(key, "admin");
  const tenants = search.view === "tenants";
  if (tenants && !operates) return <Refused scope="admin" />;
  const create = tenants ? texts.operate.newTenant : texts.operator.keys.create;
  return (
    <Page
      head={
        <PageHeader
          title={texts.places.access}
          actions={
            <>
              {operates && (
                <Segmented
                  label={texts.labels.view}
                  value={tenants ? "tenants" : "keys"}
                  of={[
                    ["keys", texts.access.keys],
                    ["tenants", texts.access.tenants],
                  ]}
                  onChoose={(view) =>
                    change({ view: view === "keys" ? undefined : view, new: undefined, find: undefined })
                  }
                />
              )}
              <Button kind="primary" onClick={() => change({ new: tenants ? "tenant" : "key" })}>
                <Plus aria-hidden="true" className="size-4" />
                {create}
              </Button>
            </>
          }
        >
          {!tenants && <KeyFilters />}
        </PageHeader>
      }
    >
      {tenants ? <TenantsPart /> : <KeysPart />}
    </Page>
  );
}
