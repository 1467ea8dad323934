import { useQueryClient } from "@tanstack/react-query";
import { FileText, Search } from "lucide-react";
import { useStatus } from "../../app/use-status.ts";
import { count } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { SearchInput } from "../../ui/input.tsx";
import { Loading } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panes } from "../../ui/panes.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { DeletedFiles } from "./deleted-files.tsx";
import { FileTree } from "./file-tree.tsx";
import { FileView } from "./file-view.tsx";
import { FoundFiles } from "./found-files.tsx";
import { NO_FILE } from "./no-file.ts";
import { useFileTree } from "./use-file-tree.ts";

/**
 * Shows the files of an agent as a tree, or its deleted files as a list, and one file beside it. A
 * text narrows both to the paths that begin with it.
 */
export function FilesPage() {
  const { agent, search, change } = useViewAddress();
  const { prefix, path } = search;
  const status = useStatus(agent);
  const deleted = search.deleted === "true";
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title={texts.files.title}
        note={!deleted && status.data && count(status.data.files)}
        inDetail={path !== undefined}
        actions={
          <Segmented
            label={texts.labels.view}
            value={deleted ? "deleted" : "stored"}
            of={[
              ["stored", texts.labels.stored],
              ["deleted", texts.labels.deleted],
            ]}
            onChoose={(view) => change({ deleted: view === "deleted" ? "true" : undefined, ...NO_FILE })}
          />
        }
      >
        <SearchInput
          icon={Search}
          aria-label={texts.files.prefix}
          placeholder={texts.files.prefixExample}
          data-filter=""
          hint="/"
          value={prefix ?? ""}
          onText={(next) => change({ prefix: next }, true)}
          className="w-96 max-md:w-full"
        />
      </PageHeader>
      <Panes
        name="files"
        listLabel={texts.files.title}
        list={deleted ? <DeletedFiles /> : <Tree key={agent} />}
        detailLabel={texts.files.one}
        detail={
          path === undefined ? undefined : (
            <FileView key={`${agent} ${path}`} agent={agent} path={path} line={Number(search.line ?? 0)} />
          )
        }
        placeholder={
          <Empty icon={FileText} title={texts.files.choose}>
            {texts.files.chooseHint}
          </Empty>
        }
        onBack={() => change(NO_FILE)}
      />
    </div>
  );
}

function Tree() {
  const { agent, search, change } = useViewAddress();
  const queries = useQueryClient();
  const prefix = search.prefix ?? "";
  const { rows, isPending, error, toggle, load } = useFileTree(agent, prefix, search.path);
  const retry = () =>
    void queries.refetchQueries({ queryKey: ["files", agent], predicate: ({ state }) => state.error !== null });
  const choose = (path: string) => change({ ...NO_FILE, path });
  if (isPending) return <Loading what={texts.files.all} lines={8} />;
  if (error)
    return (
      <div className="p-4">
        <ErrorBox error={error} onRetry={retry} />
      </div>
    );
  if (rows.length === 0 && prefix === "") return <Empty title={texts.files.none}>{texts.files.noneHint(agent)}</Empty>;
  if (rows.length === 0) return <FoundFiles agent={agent} words={prefix} chosen={search.path} onChoose={choose} />;
  return <FileTree rows={rows} chosen={search.path} onChoose={choose} onToggle={toggle} onMore={load} />;
}
