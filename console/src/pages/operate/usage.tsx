import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { EmbeddingUsage } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { byDay } from "../../lib/by-day.ts";
import { count } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Chart } from "../../ui/chart.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Scroll } from "../../ui/scroll.tsx";

const { day, agent, model, for: purpose, texts: sent, tokens, cost } = texts.columns;
const HEADS = [day, agent, model, purpose, sent, tokens, cost];

const usd = (nano: number) => `$${(nano / 1e9).toFixed(nano > 0 && nano < 1e7 ? 5 : 2)}`;

/** Shows the use of embedding providers by day, with its cost. */
export function UsagePart() {
  const { client } = useConnection();
  const usage = useQuery({
    queryKey: ["usage"],
    queryFn: () => client.request<EmbeddingUsage>("GET", "/v1/usage/embeddings", { query: { limit: 1000 } }),
  });
  const points = useMemo(() => {
    return byDay(usage.data?.entries.map(({ day, tokens: value }) => ({ day, value })) ?? []);
  }, [usage.data]);
  if (usage.isPending) return <Loading what={texts.labels.usage} />;
  if (usage.error) return <ErrorBox error={usage.error} />;
  const { from, to, totals, entries } = usage.data;
  if (entries.length === 0) return <Empty title={texts.operate.noUsage} />;
  return (
    <>
      <p>
        {sentences.usage(from, to, count(totals.texts), count(totals.tokens), usd(totals.costNanoUsd))}
        {totals.unpricedTokens > 0 && sentences.unpriced(count(totals.unpricedTokens))}
      </p>
      <Chart label={texts.labels.tokensADay} points={points} />
      <Scroll label={texts.labels.tableOfUsage}>
        <table>
          <thead>
            <tr>
              {HEADS.map((name) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {entries.map((one) => (
              <tr key={`${one.day} ${one.agentId} ${one.provider} ${one.model} ${one.kind}`}>
                <td>{one.day}</td>
                <td>{one.agentId}</td>
                <td>
                  {one.provider} · {one.model}
                </td>
                <td>{one.kind === "query" ? texts.operate.forSearches : texts.operate.forMemory}</td>
                <td>{count(one.texts)}</td>
                <td>{count(one.tokens)}</td>
                <td>{one.costNanoUsd === null ? texts.operate.noPrice : usd(one.costNanoUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
