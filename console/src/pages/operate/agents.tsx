import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Agent, ErasureReceipt } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useUnsaved } from "../../app/use-unsaved.ts";
import { mayManage } from "../../lib/connection.ts";
import { bytes, count } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { Receipt } from "../../ui/receipt.tsx";
import { When } from "../../ui/when.tsx";
import { Archive } from "./archive.tsx";
import { ArchiveImport } from "./archive-import.tsx";

/** Lists all agents of the tenant. Agents can be created, opened, exported and erased. */
export function AgentsPart() {
  const { client, key } = useConnection();
  const queries = useQueryClient();
  const [erasing, setErasing] = useState<Agent>();
  const [receipt, setReceipt] = useState<ErasureReceipt>();
  const reload = () => queries.invalidateQueries({ queryKey: ["table", "/v1/agents"] });
  const owner = mayManage(key);
  return (
    <>
      {owner && <NewAgent onMade={reload} />}
      {owner && <ArchiveImport onDone={reload} />}
      <PagedTable<Agent>
        label={texts.pages.agents}
        path="/v1/agents"
        rows="agents"
        keyOf={(agent) => agent.id}
        empty={texts.agents.none}
        columns={{
          [texts.columns.agent]: ({ id }) => (
            <Link to="/agents/$agent" params={{ agent: id }}>
              {id}
            </Link>
          ),
          [texts.columns.state]: ({ status }) => texts.operate.states[status] ?? status,
          [texts.columns.files]: ({ usage }) => count(usage.files),
          [texts.columns.chunks]: ({ usage }) => count(usage.chunks),
          [texts.columns.facts]: ({ usage }) => count(usage.facts),
          [texts.columns.size]: ({ usage }) => bytes(usage.bytes),
          [texts.columns.created]: ({ createdAt }) => <When at={createdAt} />,
          [texts.columns.actions]: (agent) =>
            owner && (
              <div className="row">
                <Archive agent={agent.id} />
                <button type="button" className="danger" onClick={() => setErasing(agent)}>
                  {texts.labels.erase}
                </button>
              </div>
            ),
        }}
      />
      {erasing && (
        <Confirm
          title={texts.labels.eraseTheAgent}
          message={texts.erasure.agent}
          name={erasing.id}
          action={texts.labels.erase}
          onConfirm={async () => {
            setReceipt(await client.agents.erase(erasing.id));
            await reload();
          }}
          onClose={() => setErasing(undefined)}
        />
      )}
      {receipt && <Receipt receipt={receipt} onClose={() => setReceipt(undefined)} />}
    </>
  );
}

function NewAgent({ onMade }: { onMade: () => Promise<unknown> }) {
  const { client } = useConnection();
  const [id, setId] = useState("");
  useUnsaved(id !== "");
  const make = useMutation({
    mutationFn: () => client.agents.create({ id }),
    onSuccess: () => {
      setId("");
      return onMade();
    },
  });
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <label>
        {texts.labels.newAgent}
        <input required value={id} pattern="[a-z0-9][a-z0-9_\-]*" onChange={(event) => setId(event.target.value)} />
      </label>
      <button type="submit" disabled={make.isPending}>
        {texts.labels.create}
      </button>
      {make.error && <ErrorBox error={make.error} />}
    </form>
  );
}
