import { FileX } from "lucide-react";
import { useMemo } from "react";
import { useAgent } from "../../app/connection-context.ts";
import { useNames } from "../../app/use-names.ts";
import { bytes, moment } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { Loading } from "../../ui/loading.tsx";
import { useMore } from "../../ui/use-more.ts";
import { usePages } from "../../ui/use-pages.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { NO_FILE } from "./no-file.ts";

/** Lists the deleted files that can be restored, filtered by a prefix of their path. */
export function DeletedFiles() {
  const { agent, search, change } = useViewAddress();
  const memory = useAgent(agent);
  const nameOf = useNames();
  const { prefix, path } = search;
  const deleted = usePages(["deleted", agent, prefix ?? ""], (cursor) =>
    memory.files.deleted({ prefix, cursor, limit: 200 }),
  );
  const more = useMore(deleted);
  const rows = useMemo(() => deleted.data?.pages.flatMap((page) => page.versions) ?? [], [deleted.data]);
  if (deleted.isPending) return <Loading what={texts.deleted.all} lines={6} />;
  if (deleted.error) return <ErrorBox error={deleted.error} onRetry={() => void deleted.refetch()} />;
  if (rows.length === 0)
    return (
      <Empty icon={FileX} title={texts.deleted.none}>
        {texts.deleted.noneHint}
      </Empty>
    );
  return (
    <VirtualList
      rows={rows}
      label={texts.deleted.list}
      height={60}
      keyOf={(row) => row.path}
      onEnd={more}
      render={(row) => (
        <ListRow
          chosen={row.path === path}
          onChoose={() => change({ ...NO_FILE, path: row.path })}
          lead={<FileX aria-hidden="true" className="size-4 text-fg-3" />}
          title={<span dir="auto">{row.path}</span>}
          meta={sentences.by(moment(row.endedAt), nameOf(row.endedBy) ?? row.endedBy)}
          end={bytes(row.size)}
        />
      )}
    />
  );
}
