import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Agent, ErasureReceipt } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { bytes, count, moment } from "../../lib/format.ts";
import { texts } from "../../lib/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { Receipt } from "../../ui/receipt.tsx";
import { Archive } from "./archive.tsx";
import { ArchiveImport } from "./archive-import.tsx";

/** All agents of the tenant: made, looked into, exported, erased. */
export function AgentsPart() {
  const { client, key } = useConnection();
  const queries = useQueryClient();
  const [erasing, setErasing] = useState<Agent>();
  const [receipt, setReceipt] = useState<ErasureReceipt>();
  const reload = () => queries.invalidateQueries({ queryKey: ["table", "/v1/agents"] });
  const owner = mayDo(key, "tenant") && key.agentId === null;
  return (
    <>
      {owner && <NewAgent onMade={reload} />}
      {owner && <ArchiveImport onDone={reload} />}
      <PagedTable<Agent>
        path="/v1/agents"
        rows="agents"
        keyOf={(agent) => agent.id}
        empty={texts.agents.none}
        columns={{
          Agent: ({ id }) => (
            <Link to="/agents/$agent" params={{ agent: id }}>
              {id}
            </Link>
          ),
          Status: ({ status }) => status,
          Files: ({ usage }) => count(usage.files),
          Chunks: ({ usage }) => count(usage.chunks),
          Facts: ({ usage }) => count(usage.facts),
          Size: ({ usage }) => bytes(usage.bytes),
          Created: ({ createdAt }) => moment(createdAt),
          Actions: (agent) =>
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
  const make = useMutation({ mutationFn: () => client.agents.create({ id }), onSuccess: onMade });
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
