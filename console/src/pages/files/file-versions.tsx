import { RotateCcw } from "lucide-react";
import { useState } from "react";
import type { CurrentVersion, FileVersion } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { useNames } from "../../app/use-names.ts";
import { cn } from "../../lib/cn.ts";
import { mayDo, messageOf } from "../../lib/connection.ts";
import { bytes, counted, moment } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { usePages } from "../../ui/use-pages.ts";
import { NO_FILE } from "./no-file.ts";
import { ShownVersion } from "./shown-version.tsx";
import { useFileChanged } from "./use-file-changed.ts";

/**
 * Shows the earlier versions of a file, newest first: each with its text, the changes since, and a
 * way to restore it.
 */
export function FileVersions({ agent, path }: { agent: string; path: string }) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const [forgets, setForgets] = useState(false);
  const changed = useFileChanged(agent, path);
  const found = usePages(["versions", agent, path], (cursor) => memory.files.history(path, { cursor, limit: 50 }));
  const restore = useRestore(agent, path);
  if (found.isPending) return <Loading what={texts.labels.history} lines={6} />;
  if (found.error) return <ErrorBox error={found.error} onRetry={() => void found.refetch()} />;
  const current = found.data.pages[0]?.current ?? null;
  const versions = found.data.pages.flatMap((page) => page.versions);
  if (versions.length === 0) return <Empty title={texts.versions.none}>{texts.versions.noneHint}</Empty>;
  return (
    <div className="flex flex-col gap-4">
      <ol aria-label={texts.labels.history} className="flex flex-col">
        {current && <Current {...current} />}
        {versions.map((version) => (
          <Version
            key={version.version}
            agent={agent}
            version={version}
            onRestore={mayDo(key, "agent:write") ? () => void restore(version, current) : undefined}
          />
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        {found.hasNextPage && (
          <Button onClick={() => void found.fetchNextPage()} disabled={found.isFetchingNextPage}>
            {texts.labels.more}
          </Button>
        )}
        {mayDo(key, "tenant") && (
          <Button kind="danger" className="ms-auto" onClick={() => setForgets(true)}>
            {texts.labels.forgetVersions}
          </Button>
        )}
      </div>
      {forgets && (
        <Confirm
          title={texts.labels.forgetVersions}
          message={texts.versions.forget}
          name={path}
          action={texts.labels.forget}
          onConfirm={() => memory.files.forgetHistory(path).then(() => changed())}
          onClose={() => setForgets(false)}
        />
      )}
    </div>
  );
}

/**
 * Returns a function that gives a file the text of a version. The text that it replaces is kept as a
 * version, so a click undoes it.
 */
function useRestore(agent: string, path: string) {
  const memory = useAgent(agent);
  const { change } = useViewAddress();
  const changed = useFileChanged(agent, path);
  const undo = async (wasDeleted: boolean) => {
    const { current, versions } = await memory.files.history(path, { limit: 1 });
    if (wasDeleted) await memory.files.delete(path);
    else if (current && versions[0]) await memory.files.restore(versions[0].version, { ifMatch: current.hash });
    await changed();
  };
  return async ({ version, writtenAt }: FileVersion, current: CurrentVersion | null) => {
    try {
      // The condition protects a change that was made after this list was read.
      await memory.files.restore(version, current ? { ifMatch: current.hash } : { ifNoneMatch: "*" });
      await changed();
      change({ ...NO_FILE, path, deleted: undefined });
      toast(texts.versions.restored(moment(writtenAt)), { undo: () => undo(current === null) });
    } catch (error) {
      toast(messageOf(error), { failed: true });
      await changed();
    }
  };
}

const ITEM_CLASS =
  "relative flex flex-col gap-2 pb-5 ps-6 before:absolute before:start-[3px] before:top-4 before:bottom-[-4px] before:w-px before:bg-border before:content-[''] last:before:hidden";
const POINT_CLASS = "absolute start-0 top-1.5 size-2 rounded-full";

/** Names who wrote a version. */
function writer(nameOf: ReturnType<typeof useNames>, by: string | null): string {
  return by === null ? texts.versions.notNoted : (nameOf(by) ?? by);
}

function Current({ size, lines, writtenAt, writtenBy }: CurrentVersion) {
  const nameOf = useNames();
  return (
    <li className={ITEM_CLASS} aria-current="true">
      <span aria-hidden="true" className={cn(POINT_CLASS, "bg-file")} />
      <p>
        <strong>{texts.versions.now}</strong>
        <span className="text-sm text-fg-2">{sentences.version(bytes(size), counted(lines, texts.nouns.line))}</span>
      </p>
      <p className="text-sm text-fg-2">{sentences.writtenAt(moment(writtenAt), writer(nameOf, writtenBy))}</p>
    </li>
  );
}

interface VersionProps {
  agent: string;
  version: FileVersion;
  /** Restores the version; undefined if the key may not write. */
  onRestore: (() => void) | undefined;
}

function Version({ agent, version: one, onRestore }: VersionProps) {
  const { search, change } = useViewAddress();
  const { version, size, lines, writtenAt, writtenBy, endedAt, endedBy, deleted } = one;
  const shown = search.version === version ? (search.show ?? "text") : undefined;
  const show = (what: string) =>
    change(shown === what ? { version: undefined, show: undefined } : { tab: "history", version, show: what });
  const nameOf = useNames();
  const ended = deleted ? sentences.deleted : sentences.replaced;
  return (
    <li className={ITEM_CLASS}>
      <span aria-hidden="true" className={cn(POINT_CLASS, "border border-border-strong bg-surface")} />
      <p>
        <strong>{moment(writtenAt)}</strong>
        <span className="text-sm text-fg-2">{sentences.version(bytes(size), counted(lines, texts.nouns.line))}</span>
      </p>
      <p className="text-sm text-fg-2">
        {sentences.written(writer(nameOf, writtenBy))} · {ended(moment(endedAt), nameOf(endedBy) ?? endedBy)}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button size="small" aria-pressed={shown === "diff"} onClick={() => show("diff")}>
          {texts.labels.changesSince}
        </Button>
        <Button size="small" aria-pressed={shown === "text"} onClick={() => show("text")}>
          {texts.labels.text}
        </Button>
        {onRestore && (
          <Button size="small" kind="ghost" onClick={onRestore}>
            <RotateCcw aria-hidden="true" className="size-3.5" />
            {texts.labels.restore}
          </Button>
        )}
      </div>
      {shown !== undefined && <ShownVersion agent={agent} version={version} diff={shown === "diff"} />}
    </li>
  );
}
