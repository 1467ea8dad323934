import { Ban, Ellipsis } from "lucide-react";
import { useState } from "react";
import type { ApiKey, KeyInUse } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { FindInput } from "../../app/find-input.tsx";
import { DAY_MS } from "../../lib/day-ms.ts";
import { ago, count } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Chips, ToggleChip } from "../../ui/filter-chip.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Paged } from "../../ui/paged.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { NewKey } from "./new-key.tsx";
import { Shown } from "./shown.tsx";
import { type Calls, useCallsByKey } from "./use-calls.ts";
import { useRows } from "./use-rows.ts";

/** A key that expires within this time is marked. */
const SOON_MS = 14 * DAY_MS;
/** A key that was not used for this time is one to revoke. */
const IDLE_MS = 90 * DAY_MS;

/** The filters of the list of keys: words, idle keys, and those that no longer work. */
export function KeyFilters() {
  const { search, change } = useViewAddress();
  const { keys } = texts.operator;
  const toggle = (name: string) => (on: boolean) => change({ [name]: on ? "true" : undefined }, true);
  return (
    <>
      <FindInput label={keys.find} />
      <Chips label={texts.operator.filters}>
        <ToggleChip label={keys.idle} on={search.idle === "true"} onToggle={toggle("idle")} />
        <ToggleChip label={keys.ended} on={search.ended === "true"} onToggle={toggle("ended")} />
      </Chips>
    </>
  );
}

/** Lists the tenant's keys. Keys can be made and revoked; a new key is shown once. */
export function KeysPart() {
  const { client, key } = useConnection();
  const { search, change } = useViewAddress();
  const list = useRows<ApiKey>("/v1/keys", "keys");
  const calls = useCallsByKey();
  const [revoking, setRevoking] = useState<ApiKey>();
  const { operator, labels, operate } = texts;
  const rows = shownKeys(list.rows, search);
  return (
    <>
      <Paged list={list} what={labels.theList}>
        <DataTable
          label={texts.access.keys}
          name="keys"
          rows={rows}
          columns={columnsOf(calls, key, setRevoking)}
          keyOf={({ id }) => id}
          toolbar={<Shown count={rows.length} of={list.rows.length} />}
          toneOf={(one) => (hasEnded(one) ? "text-fg-2" : undefined)}
          empty={
            list.rows.length === 0 ? (
              <Empty title={operate.noKey} />
            ) : (
              <Empty title={operator.noMatch}>{operator.noMatchHint}</Empty>
            )
          }
        />
      </Paged>
      {search.new === "key" && <NewKey onMade={list.refetch} onClose={() => change({ new: undefined })} />}
      {revoking && (
        <Confirm
          title={labels.revokeTheKey}
          message={operator.keys.revoke(revoking.name, revoking.lastUsedAt ? ago(revoking.lastUsedAt) : texts.never)}
          action={labels.revoke}
          danger
          onConfirm={async () => {
            await client.request("DELETE", `/v1/keys/${revoking.id}`);
            await list.refetch();
            toast(operator.keys.revoked(revoking.name));
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

function shownKeys(keys: readonly ApiKey[], { find = "", idle, ended }: Readonly<Record<string, string>>): ApiKey[] {
  const wanted = find.toLowerCase();
  return keys
    .filter((key) => ended === "true" || !hasEnded(key))
    .filter((key) => idle !== "true" || isIdle(key))
    .filter(({ name, prefix, scopes, agentId }) =>
      [name, prefix, ...scopes, agentId ?? ""].some((text) => text.toLowerCase().includes(wanted)),
    )
    .sort((a, b) => (b.lastUsedAt ?? b.createdAt).localeCompare(a.lastUsedAt ?? a.createdAt));
}

const hasEnded = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());

const isIdle = ({ lastUsedAt, createdAt }: ApiKey): boolean =>
  Date.now() - Date.parse(lastUsedAt ?? createdAt) > IDLE_MS;

function columnsOf(
  calls: ReadonlyMap<string, Calls> | undefined,
  own: KeyInUse,
  onRevoke: (key: ApiKey) => void,
): Column<ApiKey>[] {
  const { columns, operator } = texts;
  return [
    { id: "name", head: columns.name, sortBy: ({ name }) => name, show: (key) => <KeyName of={key} own={own} /> },
    {
      id: "scopes",
      head: columns.scopes,
      show: ({ scopes }) => (
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope} title={texts.scopes[scope]}>
              {scope}
            </Badge>
          ))}
        </span>
      ),
    },
    { id: "agent", head: columns.agent, sortBy: ({ agentId }) => agentId ?? "", show: (key) => <OfAgent of={key} /> },
    {
      id: "used",
      head: columns.lastUsed,
      sortBy: ({ lastUsedAt }) => lastUsedAt ?? "",
      show: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} />,
    },
    ...(calls
      ? [
          {
            id: "calls",
            head: operator.callsOfMonth,
            end: true,
            sortBy: ({ prefix }: ApiKey) => calls.get(prefix)?.times ?? 0,
            show: ({ prefix }: ApiKey) => count(calls.get(prefix)?.times ?? 0),
          },
        ]
      : []),
    {
      id: "expires",
      head: columns.expires,
      sortBy: ({ expiresAt }) => expiresAt ?? "9",
      show: (key) => <Expiry of={key} />,
    },
    {
      id: "limit",
      head: operator.keys.limit,
      end: true,
      sortBy: ({ requestsPerMinute }) => requestsPerMinute ?? 0,
      show: ({ requestsPerMinute }) =>
        requestsPerMinute === null ? (
          <span className="text-fg-2">{operator.keys.usualLimit}</span>
        ) : (
          count(requestsPerMinute)
        ),
    },
    {
      id: "created",
      head: columns.created,
      hidden: true,
      sortBy: ({ createdAt }) => createdAt,
      show: ({ createdAt }) => <RelativeTime at={createdAt} byDay />,
    },
    { id: "actions", head: "", end: true, show: (key) => !key.revokedAt && <KeyMenu of={key} onRevoke={onRevoke} /> },
  ];
}

function KeyName({ of: { name, prefix }, own }: { of: ApiKey; own: KeyInUse }) {
  return (
    <span className="flex flex-col">
      <span className="flex flex-wrap items-center gap-x-2">
        <span dir="auto" className="font-semibold">
          {name}
        </span>
        {own.prefix === prefix && <Badge tone="accent">{texts.operator.keys.own}</Badge>}
      </span>
      <code className="font-mono text-xs font-normal text-fg-2">{prefix}…</code>
    </span>
  );
}

function OfAgent({ of: { agentId } }: { of: ApiKey }) {
  if (agentId === null) return <span className="text-fg-2">{texts.operate.all}</span>;
  return (
    <Link to="/agents/$agent" params={{ agent: agentId }} className="text-accent hover:underline">
      {agentId}
    </Link>
  );
}

function Expiry({ of: { expiresAt, revokedAt } }: { of: ApiKey }) {
  if (revokedAt) return <Badge tone="bad">{texts.operator.keys.revokedAt(ago(revokedAt))}</Badge>;
  if (expiresAt === null) return <span className="text-fg-2">{texts.never}</span>;
  const left = Date.parse(expiresAt) - Date.now();
  if (left <= 0) return <Badge tone="bad">{texts.operator.keys.expiredAt(ago(expiresAt))}</Badge>;
  if (left < SOON_MS) return <Badge tone="warn">{ago(expiresAt)}</Badge>;
  return <RelativeTime at={expiresAt} byDay />;
}

function KeyMenu({ of: key, onRevoke }: { of: ApiKey; onRevoke: (key: ApiKey) => void }) {
  const label = texts.operator.keys.actions(key.name);
  return (
    <Menu
      label={label}
      trigger={(props) => (
        <Button {...props} kind="ghost" size="smallIcon" tip={label}>
          <Ellipsis aria-hidden="true" className="size-4" />
        </Button>
      )}
      items={[{ label: texts.labels.revoke, icon: Ban, danger: true, onChoose: () => onRevoke(key) }]}
    />
  );
}
