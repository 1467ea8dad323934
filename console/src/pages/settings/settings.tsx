import { useQuery } from "@tanstack/react-query";
import { Braces } from "lucide-react";
import type { AgentSettings } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { FindInput } from "../../app/find-input.tsx";
import { mayDo } from "../../lib/connection.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Chips, ToggleChip } from "../../ui/filter-chip.tsx";
import { Loading } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { SettingsAsJson } from "./settings-as-json.tsx";
import { SettingsForm } from "./settings-form.tsx";

/** Lists every setting of an agent with its value and its origin, and changes the agent's own. */
export function SettingsPage() {
  const { agent, search, change } = useViewAddress();
  const { key } = useConnection();
  const memory = useAgent(agent);
  const settings = useQuery({ queryKey: ["settings", agent], queryFn: () => memory.settings() });
  const writes = mayDo(key, "tenant");
  const { settings: words } = texts;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title={texts.places.settings}
        note={settings.data && words.changedCount(changedOf(settings.data))}
        actions={
          writes && (
            <Button onClick={() => change({ edit: "json" })}>
              <Braces aria-hidden="true" className="size-4" />
              {words.asJson}
            </Button>
          )
        }
      >
        <FindInput label={words.find} example={words.findExample} />
        <Chips label={texts.operator.filters}>
          <ToggleChip
            label={words.changedOnly}
            on={search.changed === "true"}
            onToggle={(on) => change({ changed: on ? "true" : undefined }, true)}
          />
        </Chips>
      </PageHeader>
      {settings.isPending && (
        <div className="p-5">
          <Loading what={texts.labels.theSettings} lines={8} />
        </div>
      )}
      {settings.error && (
        <div className="p-5">
          <ErrorBox error={settings.error} onRetry={() => void settings.refetch()} />
        </div>
      )}
      {settings.data && <SettingsForm key={agent} agent={agent} settings={settings.data} writes={writes} />}
      {settings.data && search.edit === "json" && writes && <SettingsAsJson agent={agent} settings={settings.data} />}
    </div>
  );
}

/** Returns how many settings differ from the defaults. */
function changedOf({ origins }: AgentSettings): number {
  return Object.values(origins).filter((origin) => origin !== "default").length;
}
