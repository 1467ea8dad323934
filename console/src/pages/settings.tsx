import { useQuery } from "@tanstack/react-query";
import { useAgent } from "../app/connection-context.ts";
import { useViewAddress } from "../app/view-address.ts";
import { flatten } from "../lib/flatten.ts";
import { texts } from "../texts/texts.ts";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { Scroll } from "../ui/scroll.tsx";
import { Words } from "../ui/words.tsx";
import { AgentSettings } from "./agent-settings.tsx";

/** Lists every setting of an agent with its value and its origin. */
export function SettingsPage() {
  const { agent, search, change } = useViewAddress();
  const memory = useAgent(agent);
  const settings = useQuery({ queryKey: ["settings", agent], queryFn: () => memory.settings() });
  if (settings.isPending) return <Loading what={texts.labels.theSettings} />;
  if (settings.error) return <ErrorBox error={settings.error} onRetry={() => void settings.refetch()} />;
  const { settings: values, origins, own, descriptions } = settings.data;
  const wanted = (search.find ?? "").toLowerCase();
  const rows = flatten(values).filter(([path]) => `${path} ${descriptions[path] ?? ""}`.toLowerCase().includes(wanted));
  return (
    <>
      <h1>{texts.labels.settings}</h1>
      <AgentSettings agent={agent} own={own} descriptions={descriptions} />
      <label>
        {texts.settings.find}
        <input
          type="search"
          value={search.find ?? ""}
          placeholder={texts.settings.findExample}
          onChange={(event) => change({ find: event.target.value }, true)}
        />
      </label>
      {rows.length === 0 && <Empty title={texts.settings.noneFound} />}
      <Scroll label={texts.labels.tableOfSettings}>
        <table className="narrow">
          <thead>
            <tr>
              <th>{texts.labels.setting}</th>
              <th>{texts.labels.value}</th>
              <th>{texts.labels.from}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([path, value]) => (
              <tr key={path}>
                <th scope="row">
                  <code>{path}</code>
                  <p className="quiet">
                    <Words text={descriptions[path] ?? ""} />
                  </p>
                </th>
                <td>
                  <code>{JSON.stringify(value)}</code>
                </td>
                <td className={originOf(path, origins) === texts.settings.byDefault ? "quiet" : "set"}>
                  {originOf(path, origins)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

/** Returns the origin of the setting, or of the nearest block around it that has one. */
function originOf(path: string, origins: Record<string, string>): string {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    const origin = origins[at];
    if (origin !== undefined) return origin;
  }
  return texts.settings.byDefault;
}
