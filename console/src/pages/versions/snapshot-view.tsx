import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis, GitBranchPlus, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Snapshot } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { useNames } from "../../app/use-names.ts";
import { mayDo, mayManage } from "../../lib/connection.ts";
import { moment } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { navigate } from "../../router/history.ts";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Menu } from "../../ui/menu.tsx";
import { SnapshotDifference } from "./snapshot-difference.tsx";

/** Shows a snapshot: how the memory differs from it now, and what can be done with it. */
export function SnapshotView({ agent, snapshot }: { agent: string; snapshot: Snapshot }) {
  const { name, takenAt, takenBy, expiresAt } = snapshot;
  const memory = useAgent(agent);
  const { key } = useConnection();
  const queries = useQueryClient();
  const { change } = useViewAddress();
  const nameOf = useNames();
  const [asks, setAsks] = useState<"rollback" | "delete">();
  const rollBack = async (to: string) => {
    const { undo } = await memory.snapshots.rollBack(to);
    await queries.invalidateQueries();
    return undo;
  };
  const returnTo = async () => {
    const undo = await rollBack(name);
    toast(texts.snapshots.rolledBack(name, undo), {
      undo: async () => {
        await rollBack(undo);
        toast(texts.activityLog.undone);
      },
    });
  };
  const erase = async () => {
    await memory.snapshots.delete(name);
    change({ snapshot: undefined }, true);
    await queries.invalidateQueries({ queryKey: ["snapshots", agent] });
    toast(texts.snapshots.deleted(name));
  };
  const isOwner = mayDo(key, "tenant");
  return (
    <article className="flex flex-col gap-5 p-5 max-md:p-4">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 grow">
          <h2 className="text-lg font-semibold [overflow-wrap:anywhere]">{name}</h2>
          <p className="text-sm text-fg-2">
            {sentences.snapshotTaken(moment(takenAt), nameOf(takenBy) ?? takenBy)}
            {expiresAt && sentences.snapshotExpires(moment(expiresAt))}
          </p>
        </div>
        <div className="flex gap-1">
          {isOwner && (
            <Button onClick={() => setAsks("rollback")}>
              <RotateCcw aria-hidden="true" className="size-4" />
              {texts.labels.rollBack}
            </Button>
          )}
          {(isOwner || mayManage(key)) && (
            <Menu
              label={texts.actions.more}
              trigger={(props) => (
                <Button {...props} kind="ghost" size="icon" tip={texts.actions.more}>
                  <Ellipsis aria-hidden="true" className="size-4" />
                </Button>
              )}
              items={[
                mayManage(key) && {
                  label: texts.branches.make,
                  icon: GitBranchPlus,
                  onChoose: () =>
                    navigate({
                      to: "/agents/$agent/versions",
                      params: { agent },
                      search: { view: "branches", new: "true", snapshot: name },
                    }),
                },
                isOwner && {
                  label: texts.labels.deleteTheSnapshot,
                  icon: Trash2,
                  danger: true,
                  onChoose: () => setAsks("delete"),
                },
              ]}
            />
          )}
        </div>
      </header>
      <SnapshotDifference agent={agent} name={name} />
      {asks === "rollback" && (
        <Confirm
          title={sentences.rollBackTo(name)}
          message={texts.snapshots.rollBack}
          action={texts.labels.rollBack}
          onConfirm={returnTo}
          onClose={() => setAsks(undefined)}
        />
      )}
      {asks === "delete" && (
        <Confirm
          title={texts.labels.deleteTheSnapshot}
          message={texts.snapshots.eraseOf(name)}
          action={texts.labels.delete}
          danger
          onConfirm={erase}
          onClose={() => setAsks(undefined)}
        />
      )}
    </article>
  );
}
