import { useQueryClient } from "@tanstack/react-query";
import { Download, Ellipsis, Pause, Pencil, Play, Settings2, Trash2 } from "lucide-react";
import type { Agent } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { messageOf } from "../../lib/connection.ts";
import { download } from "../../lib/download.ts";
import { has } from "../../lib/features.ts";
import { toast } from "../../lib/toasts.ts";
import { navigate } from "../../router/history.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";

interface AgentMenuProps {
  agent: Agent;
  /** Whether the key may manage agents. */
  owner: boolean;
  onErase: (agent: Agent) => void;
}

/** The menu of actions on an agent. */
export function AgentMenu({ agent, owner, onErase }: AgentMenuProps) {
  const { id, status } = agent;
  const { change } = useViewAddress();
  const act = useAgentActions();
  const { agents } = texts.operator;
  return (
    <Menu
      label={agents.actions(id)}
      trigger={(props) => (
        <Button {...props} kind="ghost" size="smallIcon" tip={agents.actions(id)}>
          <Ellipsis aria-hidden="true" className="size-4" />
        </Button>
      )}
      items={[
        {
          label: texts.places.settings,
          icon: Settings2,
          onChoose: () => navigate({ to: "/agents/$agent/settings", params: { agent: id } }),
        },
        owner && { label: agents.edit, icon: Pencil, onChoose: () => change({ edit: id }) },
        owner && has("archives") && { label: texts.archive.export, icon: Download, onChoose: () => void act.save(id) },
        owner &&
          status !== "creating" && {
            label: status === "disabled" ? agents.enable : agents.disable,
            icon: status === "disabled" ? Play : Pause,
            onChoose: () => void act.disable(id, status !== "disabled"),
          },
        owner && { label: texts.labels.erase, icon: Trash2, danger: true, onChoose: () => onErase(agent) },
      ]}
    />
  );
}

function useAgentActions() {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tried = async (action: () => Promise<void>) => {
    try {
      await action();
    } catch (error) {
      toast(messageOf(error), { failed: true });
    }
  };
  /** Downloads the archive. A plain link would be refused, because the key travels in a header. */
  const save = (id: string) =>
    tried(async () => {
      const done = toast(texts.archive.exporting);
      const response = await client.open("GET", `/v1/agents/${encodeURIComponent(id)}/archive`);
      download(`${id}.archive`, await response.blob());
      done();
      toast(texts.operator.agents.exported(id));
    });
  const disable = (id: string, disabled: boolean): Promise<void> =>
    tried(async () => {
      await client.agents.change(id, { disabled });
      await queries.invalidateQueries({ queryKey: ["table", "/v1/agents"] });
      const { disabled: off, enabled: on } = texts.operator.agents;
      toast(disabled ? off(id) : on(id), { undo: () => disable(id, !disabled) });
    });
  return { save, disable };
}
