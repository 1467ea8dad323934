import { useMutation } from "@tanstack/react-query";
import { useConnection } from "../../app/connection-context.ts";
import { messageOf } from "../../lib/connection.ts";
import { download } from "../../lib/download.ts";
import { texts } from "../../texts/texts.ts";

/**
 * Downloads an agent's archive. A plain link would be refused, because the key travels in a header.
 */
export function Archive({ agent }: { agent: string }) {
  const { client } = useConnection();
  const save = useMutation({
    mutationFn: async () => {
      const response = await client.open("GET", `/v1/agents/${encodeURIComponent(agent)}/archive`);
      download(`${agent}.archive`, await response.blob());
    },
  });
  return (
    <>
      <button type="button" onClick={() => save.mutate()} disabled={save.isPending}>
        {save.isPending ? texts.archive.exporting : texts.archive.export}
      </button>
      {save.error && <span role="alert">{messageOf(save.error)}</span>}
    </>
  );
}
