import type { ChangeSince, FactDifference, FileDifference } from "recollect/client";
import { cn } from "../../lib/cn.ts";
import { texts } from "../../texts/texts.ts";
import { Badge, Dot } from "../../ui/badge.tsx";
import { DataTable } from "../../ui/data-table.tsx";

interface DifferencesProps {
  /** The table's name for screen readers. */
  label: string;
  files: readonly FileDifference[];
  facts: readonly FactDifference[];
  /** The ids of the two agents. */
  here: string;
  there: string;
}

interface Row {
  id: string;
  tone: "file" | "fact";
  what: string;
  here: ChangeSince;
  there: ChangeSince;
  conflict: boolean;
}

/**
 * Lists what each of two agents has done to files and facts. Marks files and facts that both have
 * changed.
 */
export function Differences({ label, files, facts, here, there }: DifferencesProps) {
  const rows: Row[] = [
    ...files.map((one) => ({ ...one, id: `file-${one.path}`, tone: "file" as const, what: one.path })),
    ...facts.map((one) => ({ ...one, id: `fact-${one.key} ${one.text}`, tone: "fact" as const, what: one.text })),
  ];
  return (
    <DataTable<Row>
      label={label}
      name="differences"
      rows={rows}
      keyOf={({ id }) => id}
      toneOf={({ conflict }) => (conflict ? "bg-warn-soft" : undefined)}
      columns={[
        {
          id: "what",
          head: texts.labels.what,
          sortBy: ({ what }) => what,
          show: ({ tone, what, conflict }) => (
            <span dir="auto" className="flex items-center gap-2">
              <Dot of={tone} />
              {what} {conflict && <Badge tone="warn">{texts.branches.conflict}</Badge>}
            </span>
          ),
        },
        { id: "here", head: here, sortBy: (row) => row.here, show: (row) => <Done what={row.here} /> },
        { id: "there", head: there, sortBy: (row) => row.there, show: (row) => <Done what={row.there} /> },
      ]}
    />
  );
}

function Done({ what }: { what: ChangeSince }) {
  return <span className={cn("whitespace-nowrap", what === "none" && "text-fg-2")}>{texts.branches.kinds[what]}</span>;
}
