import { useState } from "react";
import type { AuditEntry, ErasureReceipt } from "recollect/client";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { PagedTable } from "../../ui/paged-table.tsx";
import { Receipt } from "../../ui/receipt.tsx";
import { When } from "../../ui/when.tsx";

/** Shows the audit log, newest entry first, and the receipts of erasures. */
export function AuditPart() {
  const [shown, setShown] = useState<ErasureReceipt>();
  return (
    <>
      <PagedTable<AuditEntry>
        label={texts.pages.audit}
        path="/v1/audit"
        rows="entries"
        keyOf={(entry) => entry.id}
        empty={texts.operate.noAudit}
        columns={{
          [texts.columns.when]: ({ at }) => <When at={at} />,
          [texts.columns.who]: ({ actor }) => actor,
          [texts.columns.did]: ({ action }) => action,
          [texts.columns.to]: ({ target }) => target,
          [texts.columns.details]: ({ details }) => <Details of={details} />,
        }}
      />
      <h2>{texts.labels.erasures}</h2>
      <PagedTable<ErasureReceipt>
        label={texts.labels.erasures}
        path="/v1/erasures"
        rows="erasures"
        keyOf={(receipt) => receipt.id}
        empty={texts.erasure.none}
        columns={{
          [texts.columns.when]: ({ erasedAt }) => <When at={erasedAt} />,
          [texts.columns.agent]: ({ agentId }) => agentId,
          [texts.columns.by]: ({ actor }) => actor,
          [texts.columns.receipt]: (receipt) => (
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

/** Lists the details of an entry, each value with its name. */
function Details({ of }: { of: Record<string, unknown> }) {
  return (
    <ul className="pairs">
      {Object.entries(of).map(([name, value]) => (
        <li key={name}>
          <span className="quiet">{name}</span>{" "}
          {typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : String(value)}
        </li>
      ))}
    </ul>
  );
}
