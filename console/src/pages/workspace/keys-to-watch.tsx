import type { ApiKey } from "recollect/client";
import { DAY_MS } from "../../lib/day-ms.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Loading } from "../../ui/loading.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Section } from "../../ui/section.tsx";
import { useCallsByKey } from "./use-calls.ts";
import { useRows } from "./use-rows.ts";

const [SOON_DAYS, UNUSED_DAYS, MOST] = [14, 90, 8];

/** Lists the keys that expire soon or that nobody uses, and names the key that is used most. */
export function KeysToWatch() {
  const list = useRows<ApiKey>("/v1/keys", "keys");
  const calls = useCallsByKey();
  const now = Date.now();
  const live = list.rows.filter(({ revokedAt }) => revokedAt === null);
  const expiring = live.filter(
    ({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) < now + SOON_DAYS * DAY_MS,
  );
  const unused = live.filter(
    ({ lastUsedAt, createdAt }) => Date.parse(lastUsedAt ?? createdAt) < now - UNUSED_DAYS * DAY_MS,
  );
  const busiest = [...(calls ?? [])].sort(([, a], [, b]) => b.times - a.times)[0];
  const busy = busiest && live.find(({ prefix }) => prefix === busiest[0]);
  const { overview } = texts.operator;
  return (
    <Section
      title={overview.keys}
      actions={
        <Link to="/workspace/access" className="text-sm text-accent hover:underline">
          {overview.allKeys}
        </Link>
      }
    >
      {list.isPending && <Loading what={texts.labels.theList} />}
      {busy && busiest && <p className="text-sm">{overview.busiest(busy.name, busiest[1].times)}</p>}
      <ul className="flex flex-col gap-2 text-sm">
        {expiring.slice(0, MOST).map(({ id, name, expiresAt }) => (
          <li key={`${id}/expires`} className="flex items-center gap-2">
            <span className="min-w-0 grow truncate">{name}</span>
            <Badge tone="warn">{overview.expires}</Badge>
            <RelativeTime at={expiresAt} byDay />
          </li>
        ))}
        {unused.slice(0, MOST).map(({ id, name, lastUsedAt }) => (
          <li key={`${id}/unused`} className="flex items-center gap-2">
            <span className="min-w-0 grow truncate">{name}</span>
            <Badge>{overview.unused}</Badge>
            <RelativeTime at={lastUsedAt} byDay />
          </li>
        ))}
      </ul>
      {!list.isPending && expiring.length + unused.length === 0 && (
        <p className="text-sm text-fg-2">{overview.keysFine(live.length)}</p>
      )}
    </Section>
  );
}
