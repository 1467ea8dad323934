import { useViewAddress } from "../../app/view-address.ts";
import { texts } from "../../texts/texts.ts";
import { Changes } from "./changes.tsx";
import { Snapshots } from "./snapshots.tsx";

/** Shows the history of an agent's memory: its changes, and its snapshots. */
export function HistoryPage() {
  const { agent, search, change } = useViewAddress();
  const snapshots = search.view === "snapshots";
  return (
    <>
      <h1>{texts.pages.history}</h1>
      <fieldset className="row" aria-label={texts.labels.view}>
        <button type="button" aria-pressed={!snapshots} onClick={() => change({ view: undefined })}>
          {texts.labels.changes}
        </button>
        <button type="button" aria-pressed={snapshots} onClick={() => change({ view: "snapshots" })}>
          {texts.labels.snapshots}
        </button>
      </fieldset>
      {snapshots ? <Snapshots key={agent} agent={agent} /> : <Changes agent={agent} />}
    </>
  );
}
