import type { AuditEntry } from "recollect/client";
import { bytes, count, moment } from "../../lib/format.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import type { Column } from "../../ui/data-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Actor } from "./actor.tsx";

type Names = (id: string) => string | undefined;

/** Returns what was done, as one says it. */
export function actionOf(action: string): string {
  return texts.operator.audit.did[action] ?? action;
}

/** The columns of the audit log. */
export function auditColumns(nameOf: Names): Column<AuditEntry>[] {
  const { columns, operator } = texts;
  return [
    { id: "when", head: columns.when, sortBy: ({ at }) => at, show: ({ at }) => <RelativeTime at={at} /> },
    {
      id: "who",
      head: columns.who,
      sortBy: ({ actor }) => nameOf(actor) ?? actor,
      show: ({ actor }) => <Actor id={actor} name={nameOf(actor)} />,
    },
    {
      id: "did",
      head: operator.audit.what,
      sortBy: ({ action }) => actionOf(action),
      show: ({ action }) => (
        <span title={action} className="md:whitespace-nowrap">
          {actionOf(action)}
        </span>
      ),
    },
    {
      id: "to",
      head: operator.audit.about,
      sortBy: ({ target }) => nameOf(target) ?? target,
      show: (entry) => <Target entry={entry} nameOf={nameOf} />,
    },
    {
      id: "details",
      head: columns.details,
      show: ({ details, target }) => {
        const told = Object.entries(details).filter(([name, value]) => tells(name, value, nameOf(target)));
        return told.length > 0 && <Details of={told} />;
      },
    },
  ];
}

/** Names what an action was about: an agent, by a link; a key or a tenant, by its name. */
function Target({ entry: { action, target }, nameOf }: { entry: AuditEntry; nameOf: Names }) {
  const name = nameOf(target);
  if (name !== undefined) return <span title={target}>{name}</span>;
  const isAgent = /^(agent|snapshot|facts|sessions|files)\./.test(action) && action !== "agent.erase";
  const [agent = "", rest] = target.split("/");
  if (!isAgent) return <span className="[overflow-wrap:anywhere]">{target}</span>;
  return (
    <span>
      <Link to="/agents/$agent" params={{ agent }} className="text-accent hover:underline">
        {agent}
      </Link>
      {rest !== undefined && ` / ${rest}`}
    </span>
  );
}

/** Returns whether a detail says more than the rest of the row, and more than that there is nothing. */
function tells(name: string, value: unknown, target: string | undefined): boolean {
  if (NUMBERS_OF_THE_SERVICE.has(name) || value === target) return false;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

const NUMBERS_OF_THE_SERVICE = new Set(["receiptId", "schemaVersion"]);

/** Lists the details of an entry, each value with its name. */
function Details({ of }: { of: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 text-xs">
      {of.map(([name, value]) => (
        <li key={name}>
          <span className="text-fg-2">{texts.operator.audit.details[name] ?? name}</span>{" "}
          {/bytes$/i.test(name) && typeof value === "number" ? bytes(value) : shown(value)}
        </li>
      ))}
    </ul>
  );
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(", ");
  if (typeof value === "string") return TIME.test(value) ? moment(value) : value;
  if (value === true) return "✓";
  if (value === null) return "–";
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, inner]) => `${name} ${shown(inner)}`)
      .join(", ");
  return typeof value === "number" ? count(value) : JSON.stringify(value);
}
