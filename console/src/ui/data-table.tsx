import {
  type ColumnDef,
  columnVisibilityFeature,
  createSortedRowModel,
  type Header,
  rowSelectionFeature,
  rowSortingFeature,
  sortFn_basic,
  type Row as TableRow,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, Columns3, Rows3, Rows4 } from "lucide-react";
import { type ReactNode, useMemo, useRef } from "react";
import { cn } from "../lib/cn.ts";
import { usePreference } from "../lib/preference.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Popover } from "./popover.tsx";
import { useNarrow } from "./use-narrow.ts";

export interface Column<Row> {
  id: string;
  head: string;
  show: (row: Row) => ReactNode;
  /** The value by which the column is sorted; undefined: it is not. */
  sortBy?: (row: Row) => string | number;
  /** Numbers stand at the end of their column. */
  end?: boolean;
  /** Whether the user has to ask for the column. */
  hidden?: boolean;
}

interface DataTableProps<Row extends object> {
  /** The table's name for screen readers, and under which the choice of columns is remembered. */
  label: string;
  name: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** Actions for the rows that are selected; without it, no row can be. */
  bulk?: (rows: readonly Row[], clear: () => void) => ReactNode;
  onOpen?: (row: Row) => void;
  toolbar?: ReactNode;
  empty?: ReactNode;
  /** The classes of a row that stands out. */
  toneOf?: (row: Row) => string | undefined;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic },
  columnVisibilityFeature,
  rowSelectionFeature,
});
type Features = typeof features;

/** A table of so few rows needs neither other distances nor a choice of columns. */
const FEW = 10;
/** Rows beyond this number are rendered only while they are visible. */
const MOST_RENDERED = 150;

/**
 * Shows rows as a table that can be sorted, whose columns can be chosen, and whose rows can be
 * selected. On a phone each row is a card.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { name, rows, columns, keyOf, bulk, toolbar, empty } = props;
  const narrow = useNarrow();
  const [dense, setDense] = usePreference("density");
  const [hidden, setHidden] = usePreference(`columns.${name}`);
  const wanted = useMemo(() => wantedOf(columns, hidden), [columns, hidden]);
  const visibility = useMemo(() => withoutEmpty(wanted, columns, rows), [wanted, columns, rows]);
  const hasTools = rows.length > FEW || columns.some((column) => column.hidden);
  const defs = useMemo(
    // The library's type of a sorting function is not that of its own functions.
    () => columns.map(definitionOf) as unknown as ColumnDef<Features, Row>[],
    [columns],
  );
  const table = useTable({
    features,
    columns: defs,
    data: rows as Row[],
    getRowId: (row) => keyOf(row),
    state: { columnVisibility: visibility },
    enableSortingRemoval: false,
  });
  const selected = bulk ? table.getSelectedRowModel().rows.map(({ original }) => original) : [];
  const sorted = table.getRowModel().rows;
  const show = (id: string, isShown: boolean) =>
    setHidden(
      columns
        .filter((one) => (one.id === id ? !isShown : wanted[one.id] === false))
        .map((one) => one.id)
        .join(" ") || "-",
    );
  return (
    <div className="flex min-h-0 min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {toolbar}
        {bulk && selected.length > 0 && bulk(selected, () => table.resetRowSelection(true))}
        {!narrow && hasTools && rows.length > 0 && (
          <span className="ms-auto flex gap-1">
            <Button
              kind="ghost"
              size="icon"
              tip={dense ? texts.ui.comfortable : texts.ui.compact}
              onClick={() => setDense(dense ? undefined : "compact")}
            >
              {dense ? <Rows3 className="size-4" /> : <Rows4 className="size-4" />}
            </Button>
            <ColumnChoice columns={columns} wanted={wanted} onShow={show} />
          </span>
        )}
      </div>
      {rows.length === 0 && empty}
      {rows.length > 0 &&
        (narrow ? (
          <Cards
            {...props}
            rows={sorted.map(({ original }) => original)}
            columns={columns.filter(({ id }) => visibility[id] !== false)}
          />
        ) : (
          <Grid
            {...props}
            sorted={sorted}
            heads={table.getHeaderGroups()[0]?.headers ?? []}
            dense={dense !== undefined}
          />
        ))}
    </div>
  );
}

function definitionOf<Row extends object>({ id, head, show, sortBy }: Column<Row>) {
  return {
    id,
    header: head,
    accessorFn: (row: Row) => sortBy?.(row) ?? "",
    cell: ({ row }: { row: { original: Row } }) => show(row.original),
    enableSorting: sortBy !== undefined,
    sortFn: sortFn_basic,
    sortDescFirst: false,
  };
}

type Visibility = Readonly<Record<string, boolean>>;

/** Returns which columns the user wants. A stored choice names the hidden ones; `-` stands for none. */
function wantedOf<Row extends object>(columns: readonly Column<Row>[], hidden: string | undefined): Visibility {
  const chosen = hidden?.split(" ");
  return Object.fromEntries(columns.map((one) => [one.id, chosen ? !chosen.includes(one.id) : one.hidden !== true]));
}

/** Leaves out the columns that are empty in every row. */
function withoutEmpty<Row extends object>(
  wanted: Visibility,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Record<string, boolean> {
  const isFilled = ({ show }: Column<Row>) => rows.some((row) => !isEmpty(show(row)));
  return Object.fromEntries(columns.map((one) => [one.id, wanted[one.id] !== false && isFilled(one)]));
}

const isEmpty = (shown: ReactNode) => shown === "" || shown === null || shown === undefined || shown === false;

interface GridProps<Row extends object> extends DataTableProps<Row> {
  sorted: TableRow<Features, Row>[];
  heads: Header<Features, Row>[];
  dense: boolean;
}

function Grid<Row extends object>({ label, sorted, heads, columns, bulk, onOpen, toneOf, dense }: GridProps<Row>) {
  const box = useRef<HTMLElement>(null);
  const height = dense ? 32 : 40;
  const many = sorted.length > MOST_RENDERED;
  const list = useVirtualizer({
    count: many ? sorted.length : 0,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 12,
  });
  const items = list.getVirtualItems();
  const shown = many ? items.map(({ index }) => sorted[index]).filter((row) => row !== undefined) : sorted;
  const [above, below] = many ? [items[0]?.start ?? 0, list.getTotalSize() - (items.at(-1)?.end ?? 0)] : [0, 0];
  const ends = new Set(columns.filter(({ end }) => end).map(({ id }) => id));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group is no landmark; the section around it often has the same name.
    <section
      ref={box}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label={label}
      className={cn("overflow-auto rounded-lg border border-border bg-surface", many && "max-h-[70vh]")}
    >
      <table className="w-full text-sm">
        <thead className="sticky top-0 z-1 bg-sunken">
          <tr>
            {bulk && <th className="w-8 ps-3" aria-label={texts.ui.select} />}
            {heads.map((head) => (
              <Head key={head.id} head={head} end={ends.has(head.column.id)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Gap height={above} />}
          {shown.map((row) => (
            <tr
              key={row.id}
              className={cn(
                "border-t border-border hover:bg-hover",
                toneOf?.(row.original),
                row.getIsSelected() && "bg-selected",
              )}
              onDoubleClick={() => onOpen?.(row.original)}
            >
              {bulk && (
                <td className="ps-3">
                  <input
                    type="checkbox"
                    aria-label={texts.ui.selectRow(row.id)}
                    checked={row.getIsSelected()}
                    onChange={(event) => row.toggleSelected(event.target.checked)}
                    className="size-4 align-middle"
                  />
                </td>
              )}
              {row.getVisibleCells().map((cell) => (
                <td
                  key={cell.id}
                  className={cn(
                    "px-3 align-middle [overflow-wrap:anywhere]",
                    dense ? "py-1" : "py-2",
                    ends.has(cell.column.id) && "tabular text-end",
                  )}
                >
                  {columns.find(({ id }) => id === cell.column.id)?.show(row.original)}
                </td>
              ))}
            </tr>
          ))}
          {below > 0 && <Gap height={below} />}
        </tbody>
      </table>
    </section>
  );
}

function Gap({ height }: { height: number }) {
  return (
    <tr>
      <td style={{ height }} />
    </tr>
  );
}

function Head<Row extends object>({ head, end }: { head: Header<Features, Row>; end: boolean }) {
  const { column } = head;
  const sorted = column.getIsSorted();
  const name = String(column.columnDef.header);
  const look = cn("h-8 px-3 text-xs font-semibold whitespace-nowrap text-fg-2", end ? "text-end" : "text-start");
  if (name === "")
    return (
      <th className={look}>
        <span className="sr-only">{texts.columns.actions}</span>
      </th>
    );
  if (!column.getCanSort()) return <th className={look}>{name}</th>;
  const Arrow = sorted === "desc" ? ArrowDown : ArrowUp;
  return (
    <th className={look} aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"}>
      <button
        type="button"
        onClick={() => column.toggleSorting()}
        className={cn("inline-flex items-center gap-1 rounded align-middle hover:text-fg", end && "flex-row-reverse")}
      >
        {name}
        <Arrow aria-hidden="true" className={cn("size-3", !sorted && "opacity-0")} />
      </button>
    </th>
  );
}

/** The rows of a table as cards, for a narrow window. */
function Cards<Row extends object>({ label, rows, columns, keyOf }: DataTableProps<Row>) {
  const [first, ...others] = columns;
  // Actions have no name. They stand beside the title.
  const rest = others.filter(({ head }) => head !== "");
  const actions = others.filter(({ head }) => head === "");
  return (
    <ul aria-label={label} className="flex flex-col gap-2">
      {rows.map((row) => (
        <li key={keyOf(row)} className="rounded-lg border border-border bg-surface p-3 text-sm">
          <div className="flex items-center justify-between gap-2">
            <div className="min-w-0 font-semibold [overflow-wrap:anywhere]">{first?.show(row)}</div>
            {actions.map(({ id, show }) => (
              <div key={id} className="shrink-0">
                {show(row)}
              </div>
            ))}
          </div>
          <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
            {rest.map(({ id, head, show }) => {
              const shown = show(row);
              if (isEmpty(shown)) return null;
              return (
                <div key={id} className="contents">
                  <dt className="text-fg-2">{head}</dt>
                  <dd className="[overflow-wrap:anywhere]">{shown}</dd>
                </div>
              );
            })}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function ColumnChoice<Row extends object>({
  columns,
  wanted,
  onShow,
}: {
  columns: readonly Column<Row>[];
  wanted: Visibility;
  onShow: (id: string, isShown: boolean) => void;
}) {
  return (
    <Popover
      label={texts.ui.columns}
      className="p-2"
      trigger={(props) => (
        <Button {...props} kind="ghost" size="icon" tip={texts.ui.columns}>
          <Columns3 className="size-4" />
        </Button>
      )}
    >
      {() =>
        columns
          .filter(({ head }) => head !== "")
          .map(({ id, head }) => (
            <label key={id} className="flex items-center gap-2 rounded px-2 py-1 text-sm hover:bg-hover">
              <input
                type="checkbox"
                checked={wanted[id] !== false}
                onChange={(event) => onShow(id, event.target.checked)}
                className="size-4"
              />
              {head}
            </label>
          ))
      }
    </Popover>
  );
}
