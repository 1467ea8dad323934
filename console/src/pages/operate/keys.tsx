import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ApiKey } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useUnsavedFields } from "../../app/use-unsaved.ts";
import { moment } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { When } from "../../ui/when.tsx";

const SCOPES = ["search", "agent:read", "agent:write", "tenant", "admin"] as const;

/** Lists the tenant's keys. Keys can be made and revoked; a new key is shown once. */
export function KeysPart() {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [revoking, setRevoking] = useState<ApiKey>();
  const [made, setMade] = useState<string>();
  const reload = () => queries.invalidateQueries({ queryKey: ["table", "/v1/keys"] });
  return (
    <>
      <NewKey
        onMade={async (key) => {
          setMade(key);
          await reload();
        }}
      />
      <PagedTable<ApiKey>
        label={texts.pages.keys}
        path="/v1/keys"
        rows="keys"
        keyOf={(key) => key.id}
        empty={texts.operate.noKey}
        columns={{
          [texts.columns.name]: ({ name }) => name,
          [texts.columns.begins]: ({ prefix }) => <code>{prefix}…</code>,
          [texts.columns.scopes]: ({ scopes }) => scopes.join(", "),
          [texts.columns.agent]: ({ agentId }) => agentId ?? texts.operate.all,
          [texts.columns.lastUsed]: ({ lastUsedAt }) => <When at={lastUsedAt} />,
          [texts.columns.expires]: ({ expiresAt }) => <When at={expiresAt} />,
          [texts.columns.actions]: (key) =>
            key.revokedAt ? (
              sentences.revoked(moment(key.revokedAt))
            ) : (
              <button type="button" className="danger" onClick={() => setRevoking(key)}>
                {texts.labels.revoke}
              </button>
            ),
        }}
      />
      {revoking && (
        <Confirm
          title={texts.labels.revokeTheKey}
          message={texts.operate.revoke}
          name={revoking.name}
          action={texts.labels.revoke}
          onConfirm={async () => {
            await client.request("DELETE", `/v1/keys/${revoking.id}`);
            await reload();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
      {made && (
        <Dialog title={texts.labels.theNewKey} onClose={() => setMade(undefined)}>
          <p>{texts.operate.shownOnce}</p>
          <pre className="plain">{made}</pre>
        </Dialog>
      )}
    </>
  );
}

function NewKey({ onMade }: { onMade: (key: string) => Promise<unknown> }) {
  const { client, key } = useConnection();
  const { fields, done } = useUnsavedFields();
  const make = useMutation({
    mutationFn: (body: object) => client.request<{ key: string }>("POST", "/v1/keys", { body }),
    onSuccess: ({ key: text }) => {
      done();
      return onMade(text);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const agentId = String(values.get("agentId") ?? "");
    make.mutate({ name: values.get("name"), scopes: values.getAll("scope"), ...(agentId === "" ? {} : { agentId }) });
  };
  return (
    <details className="card">
      <summary>{texts.labels.makeAKey}</summary>
      <form onSubmit={submit} {...fields}>
        <label>
          {texts.labels.name}
          <input name="name" required maxLength={200} />
        </label>
        <label>
          {texts.labels.onlyForTheAgent}
          <input name="agentId" placeholder={texts.labels.allAgents} defaultValue={key.agentId ?? ""} />
        </label>
        <fieldset>
          <legend>{texts.labels.scopes}</legend>
          {SCOPES.map((scope) => (
            <label key={scope} className="check">
              <input type="checkbox" name="scope" value={scope} defaultChecked={scope === "search"} />
              <span>
                <code>{scope}</code> {texts.scopes[scope]}
              </span>
            </label>
          ))}
        </fieldset>
        {make.error && <ErrorBox error={make.error} />}
        <button type="submit" className="primary" disabled={make.isPending}>
          {texts.labels.make}
        </button>
      </form>
    </details>
  );
}
