import { useState } from "react";
import type { AuditEntry, ErasureReceipt } from "recollect/client";
import { moment } from "../../lib/format.ts";
import { sentences } from "../../lib/sentences.ts";
import { texts } from "../../lib/texts.ts";
import { PagedTable } from "../../ui/paged-table.tsx";
import { Receipt } from "../../ui/receipt.tsx";

/** Who did what, newest first; and the receipts of what was erased. */
export function AuditPart() {
  const [shown, setShown] = useState<ErasureReceipt>();
  return (
    <>
      <PagedTable<AuditEntry>
        path="/v1/audit"
        rows="entries"
        keyOf={(entry) => entry.id}
        empty={texts.operate.noAudit}
        columns={{
          When: ({ at }) => moment(at),
          Who: ({ actor }) => actor,
          Did: ({ action }) => action,
          To: ({ target }) => target,
          Details: ({ details }) => (Object.keys(details).length === 0 ? "" : <code>{JSON.stringify(details)}</code>),
        }}
      />
      <h2>{texts.labels.erasures}</h2>
      <PagedTable<ErasureReceipt>
        path="/v1/erasures"
        rows="erasures"
        keyOf={(receipt) => receipt.id}
        empty={texts.erasure.none}
        columns={{
          When: ({ erasedAt }) => moment(erasedAt),
          Agent: ({ agentId }) => agentId,
          By: ({ actor }) => actor,
          Receipt: (receipt) => (
            <button type="button" onClick={() => setShown(receipt)}>
              {texts.labels.show}
              <span className="hidden">{sentences.theReceiptFor(receipt.agentId)}</span>
            </button>
          ),
        }}
      />
      {shown && <Receipt receipt={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}
