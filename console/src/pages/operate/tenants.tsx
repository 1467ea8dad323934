import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Tenant } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useUnsaved } from "../../app/use-unsaved.ts";
import { chooseTenant } from "../../lib/connection.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { When } from "../../ui/when.tsx";

/** Lists all tenants for the operator, who can act in each of them. */
export function TenantsPart() {
  const enter = (id: string) => {
    chooseTenant(id);
    location.reload();
  };
  return (
    <>
      <NewTenant />
      <PagedTable<Tenant>
        label={texts.pages.tenants}
        path="/v1/tenants"
        rows="tenants"
        keyOf={(tenant) => tenant.id}
        empty={texts.operate.noTenant}
        columns={{
          [texts.columns.name]: ({ name }) => name,
          [texts.columns.id]: ({ id }) => <code>{id}</code>,
          [texts.columns.state]: ({ disabled }) =>
            disabled ? texts.operate.states.disabled : texts.operate.states.active,
          [texts.columns.created]: ({ createdAt }) => <When at={createdAt} />,
          [texts.columns.actions]: ({ id }) => (
            <button type="button" onClick={() => enter(id)}>
              {texts.labels.actInThisTenant}
            </button>
          ),
        }}
      />
    </>
  );
}

function NewTenant() {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  useUnsaved(name !== "");
  const make = useMutation({
    mutationFn: () => client.request("POST", "/v1/tenants", { body: { name } }),
    onSuccess: () => {
      setName("");
      return queries.invalidateQueries({ queryKey: ["table", "/v1/tenants"] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form className="row" onSubmit={submit}>
      <label>
        {texts.operate.newTenant}
        <input required maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <button type="submit" disabled={make.isPending}>
        {texts.labels.create}
      </button>
      {make.error && <ErrorBox error={make.error} />}
    </form>
  );
}
