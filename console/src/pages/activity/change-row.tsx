import { ArrowRight, Undo2 } from "lucide-react";
import type { Change } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useNames } from "../../app/use-names.ts";
import { nameOfSession } from "../../lib/channel.ts";
import { mayDo } from "../../lib/connection.ts";
import { exactMoment, timeOfDay } from "../../lib/format.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Dot } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { targetOfChange, toneOfChange } from "./change-kinds.ts";
import { isUndoable, useUndo } from "./use-undo.ts";

/** Shows a change as a sentence, with the words before and after it, and a way to undo it. */
export function ChangeRow({ agent, change }: { agent: string; change: Change }) {
  const { at, by, before } = change;
  const kind = change.kind === "fact.stored" && before !== undefined ? "fact.superseded" : change.kind;
  const { key } = useConnection();
  const nameOf = useNames();
  const undo = useUndo(agent);
  const { activityLog: words } = texts;
  const who = by === null ? words.somebody : (nameOf(by) ?? by);
  const said: Readonly<Record<string, (who: string) => string>> = words.said;
  const sentence = said[kind]?.(who) ?? `${who}: ${kind}`;
  return (
    <article className="group relative flex items-start gap-3 border-t border-border px-2 py-2.5 hover:bg-hover">
      <Dot of={toneOfChange(kind)} className="mt-1.5" />
      <div className="flex min-w-0 grow flex-col gap-0.5">
        <p className="text-xs text-fg-2">{sentence}</p>
        <Said agent={agent} change={change} />
      </div>
      <div className="flex shrink-0 gap-x-2 max-md:flex-col-reverse max-md:items-end">
        {mayDo(key, "agent:write") && isUndoable(kind) && (
          <Button
            size="small"
            kind="ghost"
            className="md:absolute md:end-14 md:top-1 md:bg-surface md:opacity-0 md:shadow-sm md:group-focus-within:opacity-100 md:group-hover:opacity-100"
            onClick={() => void undo(change)}
          >
            <Undo2 aria-hidden="true" className="size-3.5" />
            {texts.actions.undo}
          </Button>
        )}
        <time dateTime={at} title={exactMoment(at)} className="tabular text-xs text-fg-2">
          {timeOfDay(at)}
        </time>
      </div>
    </article>
  );
}

/** The words of a change: before and after of a fact, the path and first changed words of a file. */
function Said({ agent, change }: { agent: string; change: Change }) {
  const { kind, path, text, before } = change;
  const target = targetOfChange(agent, change);
  const isFact = kind.startsWith("fact.");
  const title = isFact ? (text ?? before ?? path) : nameOfSession(path.replace(/^sessions\//, ""));
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p dir="auto" className="text-base [overflow-wrap:anywhere]">
        {isFact && before !== undefined && text !== undefined && before !== text && (
          <>
            <del className="text-fg-2 no-underline">{before}</del>{" "}
            <ArrowRight aria-label={texts.activityLog.became} className="inline size-3.5 text-fg-3" />{" "}
          </>
        )}
        {target ? (
          <Link {...target} className="font-medium hover:underline">
            {title}
          </Link>
        ) : (
          <span className="text-fg-2">{title}</span>
        )}
      </p>
      {!isFact && (before !== undefined || text !== undefined) && <Excerpt before={before} text={text} />}
    </div>
  );
}

/** The first changed words of a file, or the first message of a conversation. */
function Excerpt({ before, text }: Pick<Change, "before" | "text">) {
  return (
    <div dir="auto" className="grid max-w-full gap-0.5 text-xs [overflow-wrap:anywhere]">
      {before !== undefined && before !== text && (
        <del className="line-clamp-2 rounded bg-taken-out px-1.5 py-0.5 no-underline">{before}</del>
      )}
      {text !== undefined &&
        (before === undefined ? (
          <span className="line-clamp-2 text-fg-2">{text}</span>
        ) : (
          <ins className="line-clamp-2 rounded bg-put-in px-1.5 py-0.5 no-underline">{text}</ins>
        ))}
    </div>
  );
}
