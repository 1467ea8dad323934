import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ListedFile } from "recollect/client";
import { useAgent } from "../app/connection-context.ts";
import { useViewAddress } from "../app/view-address.ts";
import { bytes, counted } from "../lib/format.ts";
import { texts } from "../lib/texts.ts";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { useMore } from "../ui/use-more.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import { FileView } from "./file-view.tsx";

const PAGE = 1000;

/** The files of an agent: a list that narrows by the beginning of the path, and one of them. */
export function FilesPage() {
  const { agent, search, change } = useViewAddress();
  const memory = useAgent(agent);
  const { prefix, path } = search;
  const files = useInfiniteQuery({
    queryKey: ["files", agent, prefix],
    queryFn: ({ pageParam }) => memory.files.list({ prefix, limit: PAGE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });
  const more = useMore(files);
  const rows = useMemo(() => files.data?.pages.flatMap((page) => page.files) ?? [], [files.data]);
  return (
    <div className="two">
      <section aria-label="Files">
        <h1>Files</h1>
        <label>
          Path begins with
          <input
            type="search"
            value={prefix ?? ""}
            placeholder="notes/"
            onChange={(event) => change({ prefix: event.target.value }, true)}
          />
        </label>
        {files.isPending && <Loading what="the files" />}
        {files.error && <ErrorBox error={files.error} onRetry={() => void files.refetch()} />}
        {files.data && rows.length === 0 && <Empty title={texts.files.none}>{texts.files.noneHint}</Empty>}
        {rows.length > 0 && (
          <VirtualList
            rows={rows}
            label="List of files"
            height={44}
            keyOf={(file) => file.path}
            onEnd={more}
            render={(file) => (
              <FileRow
                file={file}
                chosen={file.path === path}
                onChoose={() => change({ path: file.path, line: undefined })}
              />
            )}
          />
        )}
      </section>
      <section aria-label="File">
        {path ? (
          <FileView key={`${agent} ${path}`} agent={agent} path={path} line={Number(search.line ?? 0)} />
        ) : (
          <Empty title={texts.files.choose} />
        )}
      </section>
    </div>
  );
}

function FileRow({ file, chosen, onChoose }: { file: ListedFile; chosen: boolean; onChoose: () => void }) {
  return (
    <button type="button" className="row-button" aria-current={chosen || undefined} onClick={onChoose}>
      <span dir="auto">{file.path}</span>
      <span className="quiet">
        {bytes(file.size)} · {counted(file.chunks, "chunk")}
      </span>
    </button>
  );
}
