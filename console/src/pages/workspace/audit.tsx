import { Download } from "lucide-react";
import { useMemo } from "react";
import type { AuditEntry } from "recollect/client";
import { useNames } from "../../app/use-names.ts";
import { download } from "../../lib/download.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Paged } from "../../ui/paged.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { auditColumns } from "./audit-columns.tsx";
import { AuditFilters, csvOf, shownEntries } from "./audit-filters.tsx";
import { ErasuresPart } from "./erasures.tsx";
import { Shown } from "./shown.tsx";
import { useRows } from "./use-rows.ts";

/** Shows who did what in the tenant, newest first, and the receipts of erasures. */
export function AuditPage() {
  const { search, change } = useViewAddress();
  const nameOf = useNames();
  const erasures = search.view === "erasures";
  const list = useRows<AuditEntry>("/v1/audit", "entries");
  const rows = useMemo(() => shownEntries(list.rows, search, nameOf), [list.rows, search, nameOf]);
  const { audit } = texts.operator;
  return (
    <Page
      head={
        <PageHeader
          title={texts.places.audit}
          actions={
            <>
              {!erasures && rows.length > 0 && (
                <Button onClick={() => download("audit.csv", csvOf(rows, nameOf))}>
                  <Download aria-hidden="true" className="size-4" />
                  {audit.export}
                </Button>
              )}
              <Segmented
                label={texts.labels.view}
                value={erasures ? "erasures" : "actions"}
                of={[
                  ["actions", audit.actions],
                  ["erasures", texts.labels.erasures],
                ]}
                onChoose={(view) => change({ view: view === "actions" ? undefined : view })}
              />
            </>
          }
        >
          {!erasures && <AuditFilters entries={list.rows} nameOf={nameOf} />}
        </PageHeader>
      }
    >
      {erasures ? (
        <ErasuresPart nameOf={nameOf} />
      ) : (
        <Paged list={list} what={texts.labels.theList}>
          <DataTable
            label={texts.places.audit}
            name="audit"
            rows={rows}
            columns={auditColumns(nameOf)}
            keyOf={({ id }) => id}
            toolbar={<Shown count={rows.length} of={list.rows.length} />}
            empty={
              list.rows.length === 0 ? (
                <Empty title={texts.operate.noAudit} />
              ) : (
                <Empty title={texts.operator.noMatch}>{texts.operator.noMatchHint}</Empty>
              )
            }
          />
        </Paged>
      )}
    </Page>
  );
}
