import { FileCheck } from "lucide-react";
import { useState } from "react";
import type { ErasureReceipt } from "recollect/client";
import { count } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Paged } from "../../ui/paged.tsx";
import { Receipt } from "../../ui/receipt.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Actor } from "./actor.tsx";
import { useRows } from "./use-rows.ts";

/** Lists the agents that were erased, each with its receipt. */
export function ErasuresPart({ nameOf }: { nameOf: (id: string) => string | undefined }) {
  const list = useRows<ErasureReceipt>("/v1/erasures", "erasures");
  const [shown, setShown] = useState<ErasureReceipt>();
  const { columns, operator } = texts;
  return (
    <Paged list={list} what={texts.labels.theList}>
      <DataTable
        label={texts.labels.erasures}
        name="erasures"
        rows={list.rows}
        keyOf={({ id }) => id}
        columns={[
          {
            id: "agent",
            head: columns.agent,
            sortBy: ({ agentId }) => agentId,
            show: ({ agentId }) => agentId || operator.audit.wholeTenant,
          },
          {
            id: "when",
            head: columns.when,
            sortBy: ({ erasedAt }) => erasedAt,
            show: ({ erasedAt }) => <RelativeTime at={erasedAt} />,
          },
          { id: "by", head: columns.by, show: ({ actor }) => <Actor id={actor} name={nameOf(actor)} /> },
          {
            id: "files",
            head: columns.files,
            end: true,
            show: ({ counts }) => counts.files !== undefined && count(counts.files),
          },
          {
            id: "receipt",
            head: "",
            end: true,
            show: (receipt) => (
              <Button size="small" onClick={() => setShown(receipt)}>
                <FileCheck aria-hidden="true" className="size-3.5" />
                {columns.receipt}
                <span className="sr-only">{sentences.theReceiptFor(receipt.agentId)}</span>
              </Button>
            ),
          },
        ]}
        empty={<Empty title={texts.erasure.none} />}
      />
      {shown && <Receipt receipt={shown} onClose={() => setShown(undefined)} />}
    </Paged>
  );
}
