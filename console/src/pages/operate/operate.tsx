import { useParams } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useConnection } from "../../app/connection-context.ts";
import { OPERATE_PAGES, operatePagesOf } from "../../app/pages.ts";
import { mayDo } from "../../lib/connection.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { Refused } from "../../ui/refused.tsx";
import { AgentsPart } from "./agents.tsx";
import { AuditPart } from "./audit.tsx";
import { DoctorPart } from "./doctor.tsx";
import { JobsPart } from "./jobs.tsx";
import { KeysPart } from "./keys.tsx";
import { RoutingPart } from "./routing.tsx";
import { TenantsPart } from "./tenants.tsx";
import { UsagePart } from "./usage.tsx";

const PARTS: Record<string, ComponentType> = {
  agents: AgentsPart,
  keys: KeysPart,
  jobs: JobsPart,
  routing: RoutingPart,
  usage: UsagePart,
  audit: AuditPart,
  tenants: TenantsPart,
  doctor: DoctorPart,
};

/** Shows one of the operator's pages, if the key may see it. */
export function OperatePage() {
  const { part = "agents" } = useParams({ strict: false });
  const { key } = useConnection();
  const page = OPERATE_PAGES.find((one) => one.part === part);
  const Part = PARTS[part];
  if (!page || !Part) return <Empty title={texts.noPage} />;
  if (!operatePagesOf(key).includes(page) && mayDo(key, page.scope)) return <Refused title={texts.operate.bound} />;
  if (!mayDo(key, page.scope)) return <Refused title={`${texts.operate.refused} ${page.scope}.`} />;
  return (
    <>
      <h1>{page.label}</h1>
      <Part />
    </>
  );
}
