import { useQueryClient } from "@tanstack/react-query";
import { useViewAddress } from "../app/view-address.ts";
import { texts } from "../texts/texts.ts";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { FileTree } from "./file-tree.tsx";
import { FileView } from "./file-view.tsx";
import { DeletedFiles } from "./past/deleted-files.tsx";
import { useFileTree } from "./use-file-tree.ts";

/**
 * Shows the files of an agent as a tree, or its deleted files as a list, and one file beside it. A
 * prefix of the path filters both.
 */
export function FilesPage() {
  const { agent, search, change } = useViewAddress();
  const { prefix, path } = search;
  const deleted = search.deleted === "true";
  return (
    <div className="two">
      <section aria-label={texts.files.title}>
        <h1>{texts.files.title}</h1>
        <label>
          {texts.files.prefix}
          <input
            type="search"
            value={prefix ?? ""}
            placeholder={texts.files.prefixExample}
            onChange={(event) => change({ prefix: event.target.value }, true)}
          />
        </label>
        <fieldset className="row" aria-label={texts.labels.view}>
          <button type="button" aria-pressed={!deleted} onClick={() => change({ deleted: undefined })}>
            {texts.labels.stored}
          </button>
          <button type="button" aria-pressed={deleted} onClick={() => change({ deleted: "true" })}>
            {texts.labels.deleted}
          </button>
        </fieldset>
        {deleted ? <DeletedFiles /> : <Tree key={agent} />}
      </section>
      <section aria-label={texts.files.one}>
        {path ? (
          <FileView key={`${agent} ${path}`} agent={agent} path={path} line={Number(search.line ?? 0)} />
        ) : (
          <Empty title={texts.files.choose} />
        )}
      </section>
    </div>
  );
}

function Tree() {
  const { agent, search, change } = useViewAddress();
  const queries = useQueryClient();
  const { rows, isPending, error, toggle, load } = useFileTree(agent, search.prefix ?? "", search.path);
  const retry = () =>
    void queries.refetchQueries({ queryKey: ["files", agent], predicate: ({ state }) => state.error !== null });
  return (
    <>
      {isPending && <Loading what={texts.files.all} />}
      {error && <ErrorBox error={error} onRetry={retry} />}
      {!isPending && !error && rows.length === 0 && <Empty title={texts.files.none}>{texts.files.noneHint}</Empty>}
      {!isPending && rows.length > 0 && (
        <FileTree
          rows={rows}
          chosen={search.path}
          onChoose={(path) => change({ path, line: undefined, version: undefined, show: undefined })}
          onToggle={toggle}
          onMore={load}
        />
      )}
    </>
  );
}
