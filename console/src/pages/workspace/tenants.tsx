import { useQueryClient } from "@tanstack/react-query";
import { ArrowLeftRight, Ellipsis, Pencil } from "lucide-react";
import type { Tenant } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { FormDialog, textOf } from "../../app/form-dialog.tsx";
import { chooseOwnTenant, chooseTenant } from "../../lib/connection.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Paged } from "../../ui/paged.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { LimitFields, limitsOf } from "./limit-fields.tsx";
import { useRows } from "./use-rows.ts";

/** Lists all tenants for the operator, who can switch to each of them. */
export function TenantsPart() {
  const { key } = useConnection();
  const queries = useQueryClient();
  const { search, change } = useViewAddress();
  const list = useRows<Tenant>("/v1/tenants", "tenants");
  const enter = (id: string) => {
    if (id === key.ownTenant.id) chooseOwnTenant();
    else chooseTenant(id);
    location.reload();
  };
  const reload = () => Promise.all(["table", "tenants"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
  const edited = list.rows.find(({ id }) => id === search.edit);
  return (
    <>
      <Paged list={list} what={texts.labels.theList}>
        <DataTable
          label={texts.access.tenants}
          name="tenants"
          rows={list.rows}
          columns={columnsOf(key.tenantId, enter, (id) => change({ edit: id }))}
          keyOf={({ id }) => id}
          empty={<Empty title={texts.operate.noTenant} />}
        />
      </Paged>
      {search.new === "tenant" && <NewTenant onMade={reload} />}
      {edited && <EditTenant tenant={edited} onDone={reload} />}
    </>
  );
}

function columnsOf(here: string, enter: (id: string) => void, edit: (id: string) => void): Column<Tenant>[] {
  const { columns, operator, operate } = texts;
  return [
    {
      id: "name",
      head: columns.name,
      sortBy: ({ name }) => name,
      show: ({ id, name }) => (
        <span className="flex flex-wrap items-center gap-x-2">
          <span dir="auto" className="font-semibold">
            {name}
          </span>
          {id === here && <Badge tone="accent">{operator.tenants.here}</Badge>}
        </span>
      ),
    },
    {
      id: "state",
      head: columns.state,
      sortBy: ({ disabled }) => String(disabled),
      show: ({ disabled }) => (
        <Badge tone={disabled ? "warn" : "ok"}>{disabled ? operate.states.disabled : operate.states.active}</Badge>
      ),
    },
    {
      id: "created",
      head: columns.created,
      sortBy: ({ createdAt }) => createdAt,
      show: ({ createdAt }) => <RelativeTime at={createdAt} byDay />,
    },
    {
      id: "id",
      head: columns.id,
      hidden: true,
      show: ({ id }) => <code className="font-mono text-xs text-fg-2">{id}</code>,
    },
    {
      id: "actions",
      head: "",
      end: true,
      show: (tenant) => <TenantActions tenant={tenant} isHere={tenant.id === here} enter={enter} edit={edit} />,
    },
  ];
}

interface TenantActionsProps {
  tenant: Tenant;
  isHere: boolean;
  enter: (id: string) => void;
  edit: (id: string) => void;
}

function TenantActions({ tenant: { id, name }, isHere, enter, edit }: TenantActionsProps) {
  const { tenants } = texts.operator;
  return (
    <span className="inline-flex gap-1">
      {!isHere && (
        <Button size="small" onClick={() => enter(id)}>
          <ArrowLeftRight aria-hidden="true" className="size-3.5" />
          {tenants.switchTo(name)}
        </Button>
      )}
      <Menu
        label={tenants.actions(name)}
        trigger={(props) => (
          <Button {...props} kind="ghost" size="smallIcon" tip={tenants.actions(name)}>
            <Ellipsis aria-hidden="true" className="size-4" />
          </Button>
        )}
        items={[{ label: tenants.edit, icon: Pencil, onChoose: () => edit(id) }]}
      />
    </span>
  );
}

function NewTenant({ onMade }: { onMade: () => Promise<unknown> }) {
  const { client } = useConnection();
  const { change } = useViewAddress();
  return (
    <FormDialog
      title={texts.operate.newTenant}
      action={texts.labels.create}
      shownBy="new"
      onClose={() => change({ new: undefined })}
      send={(values) =>
        client.request<Tenant>("POST", "/v1/tenants", { body: { name: textOf(values, "name"), limits: given(values) } })
      }
      onSent={async ({ name }) => {
        await onMade();
        change({ new: undefined }, true);
        toast(texts.operator.tenants.created(name));
      }}
    >
      <Field label={texts.labels.name}>
        <Input name="name" required maxLength={200} dir="auto" autoComplete="off" />
      </Field>
      <LimitFields limits={{}} ofTenant />
    </FormDialog>
  );
}

/** Returns the limits that the fields set. */
function given(values: FormData) {
  return Object.fromEntries(Object.entries(limitsOf(values)).filter(([, limit]) => limit !== null));
}

function EditTenant({ tenant, onDone }: { tenant: Tenant; onDone: () => Promise<unknown> }) {
  const { client } = useConnection();
  const { change } = useViewAddress();
  const { tenants } = texts.operator;
  return (
    <FormDialog
      title={tenants.editOf(tenant.name)}
      action={texts.labels.save}
      shownBy="edit"
      onClose={() => change({ edit: undefined })}
      send={(values) => {
        const body = {
          name: textOf(values, "name"),
          limits: limitsOf(values),
          disabled: values.get("disabled") !== null,
        };
        return client.request("PATCH", "/v1/tenant", { body, headers: { "recollect-tenant": tenant.id } });
      }}
      onSent={async () => {
        await onDone();
        change({ edit: undefined }, true);
        toast(texts.labels.saved);
      }}
    >
      <Field label={texts.labels.name}>
        <Input name="name" required maxLength={200} defaultValue={tenant.name} dir="auto" />
      </Field>
      <LimitFields limits={tenant.limits} ofTenant />
      <Check name="disabled" defaultChecked={tenant.disabled} label={tenants.disabled} hint={tenants.disabledHint} />
    </FormDialog>
  );
}
