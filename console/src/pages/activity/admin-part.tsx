import { useMemo } from "react";
import type { AuditEntry } from "recollect/client";
import { useNames } from "../../app/use-names.ts";
import { texts } from "../../texts/texts.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { Paged } from "../../ui/paged.tsx";
import { auditColumns } from "../workspace/audit-columns.tsx";
import { useRows } from "../workspace/use-rows.ts";

const EVERY_MS = 10_000;

/** Lists what was done to an agent: its settings, snapshots, branches, shares. */
export function AdminPart({ agent }: { agent: string }) {
  const nameOf = useNames();
  const list = useRows<AuditEntry>("/v1/audit", "entries", { refetchMs: EVERY_MS });
  const rows = useMemo(
    () => list.rows.filter(({ target }) => target === agent || target.startsWith(`${agent}/`)),
    [list.rows, agent],
  );
  return (
    <Page>
      <Paged list={list} what={texts.labels.theList}>
        <DataTable
          label={texts.activity.admin}
          name="admin"
          rows={rows}
          columns={auditColumns(nameOf)}
          keyOf={({ id }) => id}
          empty={<Empty title={texts.activityLog.noAdmin} />}
        />
      </Paged>
    </Page>
  );
}
