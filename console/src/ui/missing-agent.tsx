import { useQueryClient } from "@tanstack/react-query";
import { Bot } from "lucide-react";
import { useState } from "react";
import { useConnection } from "../app/connection-context.ts";
import { mayManage } from "../lib/connection.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Empty } from "./empty.tsx";
import { ErrorBox } from "./error-box.tsx";
import { LinkButton } from "./link-button.tsx";

/** Says that there is no such agent, and offers to create it or to choose another. */
export function MissingAgent({ agent }: { agent: string }) {
  const { client, key } = useConnection();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const create = async () => {
    try {
      await client.agents.create({ id: agent });
      await queries.invalidateQueries();
    } catch (cause) {
      setError(cause);
    }
  };
  return (
    <Empty icon={Bot} title={texts.agents.missing(agent)}>
      <p className="mb-3">{texts.agents.missingHint}</p>
      <span className="flex justify-center gap-2">
        {mayManage(key) && (
          <Button kind="primary" onClick={() => void create()}>
            {texts.agents.createIt}
          </Button>
        )}
        <LinkButton to="/workspace/agents">{texts.agents.all}</LinkButton>
      </span>
      {error !== undefined && <ErrorBox error={error} />}
    </Empty>
  );
}
