import { useQuery } from "@tanstack/react-query";
import type { Limits, Tenant, TenantLimits, Usage } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { bytes, count } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Section } from "../../ui/section.tsx";

type Counted = Usage & { agents: number };
interface OwnTenant extends Tenant {
  usage: Counted;
  effectiveLimits: TenantLimits;
}

const NAMES = ["agents", "files", "facts", "chunks", "bytes"] as const satisfies readonly (keyof Limits)[];
/** From this share of a limit on, the bar is red. */
const NEAR = 0.9;

/** Shows how much of each of its limits the tenant has used. */
export function LimitsPart() {
  const { client } = useConnection();
  const tenant = useQuery({ queryKey: ["tenant"], queryFn: () => client.request<OwnTenant>("GET", "/v1/tenant") });
  const { limits: title } = texts.operator;
  return (
    <Section title={title} note={tenant.data && texts.operator.usage.limitsOf(tenant.data.name)}>
      {tenant.isPending && <Loading what={title} />}
      {tenant.error && <ErrorBox error={tenant.error} onRetry={() => void tenant.refetch()} />}
      {tenant.data && NAMES.map((name) => <OneLimit key={name} name={name} tenant={tenant.data} />)}
    </Section>
  );
}

function OneLimit({ name, tenant }: { name: (typeof NAMES)[number]; tenant: OwnTenant }) {
  const { operator } = texts;
  const [used, limit] = [tenant.usage[name], tenant.effectiveLimits[name]];
  const show = name === "bytes" ? bytes : count;
  const label = name === "bytes" ? operator.usage.storage : operator.limitNames[name];
  if (limit === undefined)
    return (
      <p className="flex justify-between gap-3 text-sm">
        <span className="text-fg-2">{label}</span>
        <span className="tabular">{operator.usage.unlimited(show(used))}</span>
      </p>
    );
  const text = operator.ofLimit(show(used), show(limit));
  return <Meter label={label} value={used / limit} text={text} warn={used / limit >= NEAR} />;
}
