import type { ErasureReceipt } from "recollect/client";
import { download } from "../lib/download.ts";
import { count, moment } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Dialog } from "./dialog.tsx";

/** Shows what was erased, when and by whom. The user can save the receipt as a file. */
export function Receipt({ receipt, onClose }: { receipt: ErasureReceipt; onClose: () => void }) {
  return (
    <Dialog title={sentences.receiptFor(receipt.agentId)} onClose={onClose}>
      <p>
        <code>{receipt.id}</code>
        <br />
        {sentences.by(moment(receipt.erasedAt), receipt.actor)}
      </p>
      <ul>
        {Object.entries(receipt.counts).map(([name, value]) => (
          <li key={name}>
            {name}: {count(value)}
          </li>
        ))}
      </ul>
      <p className="quiet">{texts.erasure.hashes}</p>
      <button
        type="button"
        onClick={() => download(`erasure-${receipt.agentId}.json`, JSON.stringify(receipt, null, 2))}
      >
        {texts.labels.saveAsAFile}
      </button>
    </Dialog>
  );
}
