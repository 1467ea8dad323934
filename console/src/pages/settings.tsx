import { useQuery } from "@tanstack/react-query";
import { useAgent } from "../app/connection-context.ts";
import { useViewAddress } from "../app/view-address.ts";
import { flatten } from "../lib/flatten.ts";
import { texts } from "../lib/texts.ts";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { Scroll } from "../ui/scroll.tsx";
import { AgentSettings } from "./agent-settings.tsx";

/** Every setting of an agent with its value and where it comes from. */
export function SettingsPage() {
  const { agent } = useViewAddress();
  const memory = useAgent(agent);
  const settings = useQuery({ queryKey: ["settings", agent], queryFn: () => memory.settings() });
  if (settings.isPending) return <Loading what={texts.labels.theSettings} />;
  if (settings.error) return <ErrorBox error={settings.error} onRetry={() => void settings.refetch()} />;
  const { settings: values, origins, own, descriptions } = settings.data;
  const rows = flatten(values);
  return (
    <>
      <h1>{texts.labels.settings}</h1>
      <AgentSettings agent={agent} own={own} descriptions={descriptions} />
      <Scroll label={texts.labels.tableOfSettings}>
        <table>
          <thead>
            <tr>
              <th>{texts.labels.setting}</th>
              <th>{texts.labels.value}</th>
              <th>{texts.labels.from}</th>
              <th>{texts.labels.whatItDoes}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([path, value]) => (
              <tr key={path}>
                <th scope="row">
                  <code>{path}</code>
                </th>
                <td>{JSON.stringify(value)}</td>
                <td>{originOf(path, origins)}</td>
                <td>{descriptions[path]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

/** Of the setting itself, or of the block that it stands in. */
function originOf(path: string, origins: Record<string, string>): string {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    const origin = origins[at];
    if (origin !== undefined) return origin;
  }
  return "default";
}
