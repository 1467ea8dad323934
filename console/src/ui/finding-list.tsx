import type { Finding } from "recollect/client";
import { count } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";

/** Shows the doctor's findings: the problems first, and the passed checks on request. */
export function FindingList({ findings }: { findings: readonly Finding[] }) {
  const [fine, problems] = [
    findings.filter(({ state }) => state === "ok"),
    findings.filter(({ state }) => state !== "ok"),
  ];
  return (
    <>
      {problems.length === 0 && <p>{texts.overview.noProblem}</p>}
      <List findings={problems} />
      <details>
        <summary>{sentences.checksPassed(count(fine.length))}</summary>
        <List findings={fine} />
      </details>
    </>
  );
}

function List({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul className="findings">
      {findings.map(({ check, state, message, remedy }) => (
        <li key={`${check} ${message}`} className={state}>
          <strong>
            {check}: {state}
          </strong>{" "}
          {message} {remedy && <span className="quiet">{remedy}</span>}
        </li>
      ))}
    </ul>
  );
}
