import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CurrentVersion, FileVersion } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { useViewAddress } from "../../app/view-address.ts";
import { mayDo } from "../../lib/connection.ts";
import { bytes, counted, moment } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { usePages } from "../../ui/use-pages.ts";
import { ShownVersion } from "./shown-version.tsx";

interface FileVersionsProps {
  agent: string;
  path: string;
  onRestored: () => void;
}

/**
 * Shows the earlier versions of a file, newest first: each with its text, the changes since, and a
 * way to restore it.
 */
export function FileVersions({ agent, path, onRestored }: FileVersionsProps) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const [asked, setAsked] = useState<FileVersion | "forget">();
  const changed = useFileChanged(agent, path);
  const found = usePages(["versions", agent, path], (cursor) => memory.files.history(path, { cursor, limit: 50 }));
  if (found.isPending) return <Loading what={texts.labels.history} />;
  if (found.error) return <ErrorBox error={found.error} onRetry={() => void found.refetch()} />;
  const current = found.data.pages[0]?.current ?? null;
  const versions = found.data.pages.flatMap((page) => page.versions);
  const restore = async ({ version }: FileVersion) => {
    // The condition protects a change that was made after this list was read.
    await memory.files.restore(version, current ? { ifMatch: current.hash } : { ifNoneMatch: "*" });
    await changed();
    onRestored();
  };
  return (
    <>
      {versions.length === 0 && <Empty title={texts.versions.none}>{texts.versions.noneHint}</Empty>}
      <ol className="chunks">
        {versions.length > 0 && current && <Current {...current} />}
        {versions.map((version) => (
          <Version
            key={version.version}
            agent={agent}
            version={version}
            onRestore={mayDo(key, "agent:write") ? () => setAsked(version) : undefined}
          />
        ))}
      </ol>
      {found.hasNextPage && (
        <button type="button" onClick={() => void found.fetchNextPage()} disabled={found.isFetchingNextPage}>
          {texts.labels.more}
        </button>
      )}
      {versions.length > 0 && mayDo(key, "tenant") && (
        <button type="button" className="danger" onClick={() => setAsked("forget")}>
          {texts.labels.forgetVersions}
        </button>
      )}
      {asked === "forget" && (
        <Confirm
          title={texts.labels.forgetVersions}
          message={texts.versions.forget}
          name={path}
          action={texts.labels.forget}
          onConfirm={() => memory.files.forgetHistory(path).then(() => changed())}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked !== undefined && asked !== "forget" && (
        <Confirm
          title={texts.labels.restoreTheVersion}
          message={`${sentences.versionOf(moment(asked.writtenAt), path)} ${current ? texts.versions.restore : texts.versions.restoreDeleted}`}
          action={texts.labels.restore}
          onConfirm={() => restore(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

/**
 * Returns a function that marks a file, its chunks, its versions and the lists of files as changed,
 * so that they are read again. If the file is gone, its own parts are read again only when they are
 * shown the next time.
 */
export function useFileChanged(agent: string, path: string): (gone?: "gone") => Promise<unknown> {
  const queries = useQueryClient();
  return (gone) =>
    Promise.all([
      ...["file", "chunks", "versions"].map((what) =>
        queries.invalidateQueries({ queryKey: [what, agent, path], refetchType: gone ? "none" : "active" }),
      ),
      ...["files", "deleted"].map((what) => queries.invalidateQueries({ queryKey: [what, agent] })),
    ]);
}

function Current({ size, lines, writtenAt, writtenBy }: CurrentVersion) {
  return (
    <li className="card" aria-current="true">
      <p>
        <strong>{texts.versions.now}</strong>
        <span className="quiet">{sentences.version(bytes(size), counted(lines, texts.files.line))}</span>
      </p>
      <p className="quiet">{sentences.writtenAt(moment(writtenAt), writtenBy ?? texts.versions.notNoted)}</p>
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
    change(shown === what ? { version: undefined, show: undefined } : { version, show: what });
  const ended = deleted ? sentences.deleted : sentences.replaced;
  return (
    <li className="card">
      <p>
        <strong>{moment(writtenAt)}</strong>
        <span className="quiet">{sentences.version(bytes(size), counted(lines, texts.files.line))}</span>
      </p>
      <p className="quiet">
        {sentences.written(writtenBy ?? texts.versions.notNoted)} {ended(moment(endedAt), endedBy)}
      </p>
      <div className="row">
        <button type="button" aria-pressed={shown === "text"} onClick={() => show("text")}>
          {texts.labels.text}
        </button>
        <button type="button" aria-pressed={shown === "diff"} onClick={() => show("diff")}>
          {texts.labels.changesSince}
        </button>
        {onRestore && (
          <button type="button" onClick={onRestore}>
            {texts.labels.restore}
          </button>
        )}
      </div>
      {shown !== undefined && <ShownVersion agent={agent} version={version} diff={shown === "diff"} />}
    </li>
  );
}
