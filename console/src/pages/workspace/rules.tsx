import { useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import type { Binding, Bindings } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { FormDialog, textOf } from "../../app/form-dialog.tsx";
import { useAgents } from "../../app/use-agents.ts";
import { mayDo, messageOf } from "../../lib/connection.ts";
import { toast } from "../../lib/toasts.ts";
import { Link } from "../../router/link.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Section } from "../../ui/section.tsx";
import { OriginFields, originOf } from "./origin-fields.tsx";

interface Row {
  rule: Binding;
  /** Whether the tenant made it; the operator's files have the others. */
  own: boolean;
}

/**
 * Lists the rules that route messages to agents. The tenant's own rules can be added and removed.
 */
export function Rules({ bindings, inherited }: Bindings) {
  const { client, key } = useConnection();
  const queries = useQueryClient();
  const { search } = useViewAddress();
  const owner = mayDo(key, "tenant");
  const replace = async (rules: readonly Binding[]) => {
    await client.request("PUT", "/v1/bindings", { body: { bindings: rules } });
    await queries.invalidateQueries({ queryKey: ["bindings"] });
  };
  const remove = async (rule: Binding) => {
    try {
      await replace(bindings.filter((one) => one !== rule));
      toast(texts.routing.removed(matchOf(rule), rule.agentId), { undo: () => replace(bindings) });
    } catch (error) {
      toast(messageOf(error), { failed: true });
    }
  };
  const rows: Row[] = [
    ...bindings.map((rule) => ({ rule, own: true })),
    ...inherited.map((rule) => ({ rule, own: false })),
  ];
  return (
    <Section title={texts.routing.rulesTitle} note={texts.routing.addHint}>
      <DataTable
        label={texts.routing.rules}
        name="rules"
        rows={rows}
        keyOf={(row) => JSON.stringify(row)}
        columns={columnsOf(owner, (rule) => void remove(rule))}
        empty={<Empty title={texts.routing.none}>{owner && texts.routing.noneHint}</Empty>}
      />
      {owner && search.new === "rule" && <NewRule onAdd={(rule) => replace([...bindings, rule])} />}
    </Section>
  );
}

function columnsOf(owner: boolean, onRemove: (rule: Binding) => void) {
  const { routing } = texts;
  return [
    { id: "match", head: routing.messagesOf, show: ({ rule }: Row) => matchOf(rule) },
    {
      id: "agent",
      head: routing.goTo,
      sortBy: ({ rule }: Row) => rule.agentId,
      show: ({ rule: { agentId } }: Row) => (
        <Link to="/agents/$agent" params={{ agent: agentId }} className="text-accent hover:underline">
          {agentId}
        </Link>
      ),
    },
    {
      id: "of",
      head: routing.ruleOf,
      show: ({ own }: Row) => (own ? routing.ofTenant : routing.ofOperator),
    },
    {
      id: "actions",
      head: "",
      end: true,
      show: ({ rule, own }: Row) =>
        owner &&
        own && (
          <Button
            kind="ghost"
            size="smallIcon"
            tip={routing.removeRuleOf(matchOf(rule))}
            onClick={() => onRemove(rule)}
          >
            <Trash2 aria-hidden="true" className="size-4" />
          </Button>
        ),
    },
  ];
}

function matchOf({ match = {} }: Binding): string {
  const { channel, accountId, peer } = match;
  return (
    [channel, accountId, peer && `${peer.kind} ${peer.id}`].filter(Boolean).join(" · ") || texts.routing.everything
  );
}

function NewRule({ onAdd }: { onAdd: (rule: Binding) => Promise<void> }) {
  const { change } = useViewAddress();
  const agents = useAgents();
  return (
    <FormDialog
      title={texts.routing.addRule}
      action={texts.labels.add}
      shownBy="new"
      onClose={() => change({ new: undefined })}
      send={async (values) => {
        const match = originOf(values);
        await onAdd({ agentId: textOf(values, "agentId"), ...(Object.keys(match).length > 0 ? { match } : {}) });
      }}
      onSent={() => {
        change({ new: undefined }, true);
        toast(texts.routing.added);
      }}
    >
      <p className="text-sm text-fg-2">{texts.routing.newRuleHint}</p>
      <div className="grid grid-cols-2 gap-3">
        <OriginFields />
      </div>
      <Field label={texts.routing.goTo}>
        <Input name="agentId" required list="agents-of-rule" autoComplete="off" />
      </Field>
      <datalist id="agents-of-rule">
        {agents.data?.agents.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </FormDialog>
  );
}
