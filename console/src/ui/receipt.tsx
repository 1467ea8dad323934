import type { ErasureReceipt } from "recollect/client";
import { download } from "../lib/download.ts";
import { count, moment } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Shows what was erased, when and by whom. The user can save the receipt as a file. */
export function Receipt({ receipt, onClose }: { receipt: ErasureReceipt; onClose: () => void }) {
  return (
    <Dialog title={sentences.receiptFor(receipt.agentId)} onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <p className="text-fg-2">{sentences.by(moment(receipt.erasedAt), receipt.actor)}</p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md bg-sunken p-3">
          {Object.entries(receipt.counts).map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-fg-2">{name}</dt>
              <dd className="tabular text-end">{count(value)}</dd>
            </div>
          ))}
        </dl>
        <code className="font-mono text-xs text-fg-2 [overflow-wrap:anywhere]">{receipt.id}</code>
        <p className="text-xs text-fg-2">{texts.erasure.hashes}</p>
        <Button
          className="self-end"
          onClick={() => download(`erasure-${receipt.agentId}.json`, JSON.stringify(receipt, null, 2))}
        >
          {texts.labels.saveAsAFile}
        </Button>
      </div>
    </Dialog>
  );
}
