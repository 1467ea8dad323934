import { useMemo } from "react";
import { useAgent } from "../../app/connection-context.ts";
import { useViewAddress } from "../../app/view-address.ts";
import { bytes, moment } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { useMore } from "../../ui/use-more.ts";
import { usePages } from "../../ui/use-pages.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";

/** Lists the deleted files that can be restored, filtered by a prefix of their path. */
export function DeletedFiles() {
  const { agent, search, change } = useViewAddress();
  const memory = useAgent(agent);
  const { prefix, path } = search;
  const deleted = usePages(["deleted", agent, prefix ?? ""], (cursor) =>
    memory.files.deleted({ prefix, cursor, limit: 200 }),
  );
  const more = useMore(deleted);
  const rows = useMemo(() => deleted.data?.pages.flatMap((page) => page.versions) ?? [], [deleted.data]);
  if (deleted.isPending) return <Loading what={texts.deleted.all} />;
  if (deleted.error) return <ErrorBox error={deleted.error} onRetry={() => void deleted.refetch()} />;
  if (rows.length === 0) return <Empty title={texts.deleted.none}>{texts.deleted.noneHint}</Empty>;
  return (
    <VirtualList
      rows={rows}
      label={texts.deleted.list}
      height={64}
      keyOf={(row) => row.path}
      onEnd={more}
      render={(row) => (
        <button
          type="button"
          className="row-button"
          aria-current={row.path === path || undefined}
          onClick={() => change({ path: row.path, line: undefined, version: undefined, show: undefined })}
        >
          <span dir="auto">{row.path}</span>
          <span className="quiet">
            {bytes(row.size)} · {sentences.by(moment(row.endedAt), row.endedBy)}
          </span>
        </button>
      )}
    />
  );
}
