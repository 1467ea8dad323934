import { useState } from "react";
import { useConnection } from "../../app/connection-context.ts";
import { FormDialog, textOf } from "../../app/form-dialog.tsx";
import { useAgents } from "../../app/use-agents.ts";
import { mayDo } from "../../lib/connection.ts";
import { dayInput, startOfDay } from "../../lib/format.ts";
import { keyCommand } from "../../lib/key-command.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { Snippet } from "../../ui/snippet.tsx";

const SCOPES = ["search", "agent:read", "agent:write", "tenant", "admin"] as const;

/** Makes a key and shows it, once. */
export function NewKey({ onMade, onClose }: { onMade: () => Promise<unknown>; onClose: () => void }) {
  const { client } = useConnection();
  const { change } = useViewAddress();
  const [made, setMade] = useState<string>();
  const { keys } = texts.operator;
  if (made !== undefined)
    return (
      <Dialog title={texts.labels.theNewKey} onClose={() => change({ new: undefined }, true)}>
        <div className="flex flex-col gap-3">
          <p>{texts.operate.shownOnce}</p>
          <Snippet code={made} label={texts.labels.theNewKey} />
          <p className="text-sm text-fg-2">{keys.useIt}</p>
          <Snippet code={keyCommand(made)} label={keys.useIt} />
          <Button
            kind="primary"
            className="self-end"
            onClick={() => change({ new: undefined }, true)}
            data-autofocus=""
          >
            {keys.saved}
          </Button>
        </div>
      </Dialog>
    );
  return (
    <FormDialog
      title={keys.create}
      action={keys.create}
      shownBy="new"
      onClose={onClose}
      send={(values) => client.request<{ key: string }>("POST", "/v1/keys", { body: inputOf(values) })}
      onSent={async ({ key }) => {
        setMade(key);
        await onMade();
      }}
    >
      <Field label={texts.labels.name} hint={keys.nameHint}>
        <Input name="name" required maxLength={200} autoComplete="off" dir="auto" />
      </Field>
      <Scopes />
      <OnlyFor />
      <Life />
    </FormDialog>
  );
}

function Scopes() {
  const { key } = useConnection();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm text-fg-2">{texts.labels.scopes}</legend>
      {SCOPES.filter((scope) => mayDo(key, scope)).map((scope) => (
        <Check
          key={scope}
          name="scope"
          value={scope}
          defaultChecked={scope === "search"}
          label={<code className="font-mono">{scope}</code>}
          hint={texts.scopes[scope]}
        />
      ))}
    </fieldset>
  );
}

/** The one agent that the key reaches, if it reaches only one. */
function OnlyFor() {
  const agents = useAgents();
  return (
    <Field label={texts.labels.onlyForTheAgent}>
      <Input name="agentId" list="agents-of-tenant" placeholder={texts.labels.allAgents} autoComplete="off" />
      <datalist id="agents-of-tenant">
        {agents.data?.agents.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </Field>
  );
}

/** How long the key works, and how often it may be used. */
function Life() {
  const { key } = useConnection();
  const [life, setLife] = useState("never");
  const { keys } = texts.operator;
  return (
    <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
      <Field
        label={texts.columns.expires}
        hint={key.expiresAt === null ? undefined : keys.atMost(startOfDay(key.expiresAt.slice(0, 10)).slice(0, 10))}
      >
        <Select name="life" of={keys.lives} value={life} onChange={(event) => setLife(event.currentTarget.value)} />
      </Field>
      <Field label={keys.requestsPerMinute} hint={keys.requestsHint}>
        <Input name="requestsPerMinute" type="number" min={1} max={1_000_000} placeholder={keys.usualLimit} />
      </Field>
      {life === "day" && (
        <Field label={keys.lastDay}>
          <Input name="expires" type="date" required min={dayInput(-1)} />
        </Field>
      )}
    </div>
  );
}

function inputOf(values: FormData) {
  const agentId = textOf(values, "agentId");
  const requests = textOf(values, "requestsPerMinute");
  const expiresAt = expiryOf(textOf(values, "life"), textOf(values, "expires"));
  return {
    name: textOf(values, "name"),
    scopes: values.getAll("scope"),
    ...(agentId === "" ? {} : { agentId }),
    ...(requests === "" ? {} : { requestsPerMinute: Number(requests) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** Returns the moment at which a key expires: the end of the chosen day, or so many days from now. */
function expiryOf(life: string, day: string): string | undefined {
  if (life === "day" && day !== "") return new Date(Date.parse(startOfDay(day)) + 86_400_000 - 1).toISOString();
  const days = Number(life);
  return days > 0 ? new Date(Date.now() + days * 86_400_000).toISOString() : undefined;
}
