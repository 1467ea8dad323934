import type { ChangeSince, FactDifference, FileDifference } from "recollect/client";
import { texts } from "../../texts/texts.ts";
import { Scroll } from "../../ui/scroll.tsx";

interface DifferencesProps {
  /** The table's name for screen readers. */
  label: string;
  files: readonly FileDifference[];
  facts: readonly FactDifference[];
  /** The ids of the two agents. */
  here: string;
  there: string;
}

/**
 * Lists what each of two agents has done to files and facts. Marks files and facts that both have
 * changed.
 */
export function Differences({ label, files, facts, here, there }: DifferencesProps) {
  const rows = [
    ...files.map((one) => ({ ...one, id: `file-${one.path}`, what: one.path })),
    ...facts.map((one) => ({ ...one, id: `fact-${one.key} ${one.text}`, what: one.text })),
  ];
  return (
    <Scroll label={label}>
      <table className="narrow">
        <thead>
          <tr>
            <th>{texts.labels.what}</th>
            <th>{here}</th>
            <th>{there}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row" dir="auto">
                {row.what} {row.conflict && <strong className="tag problem">{texts.branches.conflict}</strong>}
              </th>
              <Done what={row.here} />
              <Done what={row.there} />
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Done({ what }: { what: ChangeSince }) {
  return <td className={what === "none" ? "quiet" : undefined}>{texts.branches.kinds[what]}</td>;
}
