import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { useMemo } from "react";
import type { ListedFile } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { bytes, count } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { Loading } from "../../ui/loading.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";

const PAGE = 1000;
/** The most files whose paths are compared. A larger memory is narrowed by the beginning of a path. */
const MOST = 20_000;

interface FoundFilesProps {
  agent: string;
  words: string;
  chosen: string | undefined;
  onChoose: (path: string) => void;
}

/** Lists the files whose path contains a text anywhere, because none begins with it. */
export function FoundFiles({ agent, words, chosen, onChoose }: FoundFilesProps) {
  const memory = useAgent(agent);
  const all = useQuery({
    queryKey: ["files", agent, "all"],
    queryFn: async () => {
      const files: ListedFile[] = [];
      let cursor: string | undefined;
      do {
        const page = await memory.files.list({ limit: PAGE, cursor });
        files.push(...page.files);
        cursor = page.nextCursor;
      } while (cursor !== undefined && files.length < MOST);
      return { files, whole: cursor === undefined };
    },
    staleTime: 30_000,
  });
  const wanted = words.toLowerCase();
  const rows = useMemo(
    () => all.data?.files.filter(({ path }) => path.toLowerCase().includes(wanted)) ?? [],
    [all.data, wanted],
  );
  if (all.isPending) return <Loading what={texts.files.all} lines={8} />;
  if (all.error) return <ErrorBox error={all.error} onRetry={() => void all.refetch()} />;
  if (rows.length === 0)
    return (
      <Empty title={texts.files.noPath(words)}>
        {all.data.whole ? texts.files.noPathHint : texts.files.tooMany(count(MOST))}
      </Empty>
    );
  return (
    <VirtualList
      rows={rows}
      label={texts.files.found}
      height={52}
      keyOf={({ path }) => path}
      render={({ path, size }) => (
        <ListRow
          chosen={path === chosen}
          onChoose={() => onChoose(path)}
          lead={<FileText aria-hidden="true" className="size-4 text-file" />}
          title={<bdi>{path.slice(path.lastIndexOf("/") + 1)}</bdi>}
          meta={<bdi>{path.slice(0, path.lastIndexOf("/") + 1)}</bdi>}
          end={bytes(size)}
        />
      )}
    />
  );
}
