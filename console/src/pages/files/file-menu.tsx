import { Copy, Download, Ellipsis, Trash2 } from "lucide-react";
import type { File } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { mayDo, messageOf } from "../../lib/connection.ts";
import { download } from "../../lib/download.ts";
import { toast } from "../../lib/toasts.ts";
import { forgetEdits } from "../../lib/unsaved.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { NO_FILE } from "./no-file.ts";
import { useFileChanged } from "./use-file-changed.ts";

/** The menu of the other actions on a file. A deletion can be undone. */
export function FileMenu({ agent, file }: { agent: string; file: File }) {
  const { path, content, hash } = file;
  const memory = useAgent(agent);
  const { key } = useConnection();
  const { change } = useViewAddress();
  const changed = useFileChanged(agent, path);
  const putBack = async () => {
    const { versions } = await memory.files.deleted({ prefix: path, limit: 1 });
    const last = versions.find((one) => one.path === path);
    // Without kept versions the text itself is written again.
    if (last) await memory.files.restore(last.version, { ifNoneMatch: "*" });
    else await memory.files.put(path, content, { ifNoneMatch: "*" });
    await changed();
    change({ ...NO_FILE, path });
  };
  const erase = async () => {
    try {
      await memory.files.delete(path, { ifMatch: hash });
      forgetEdits();
      await changed("gone");
      change(NO_FILE);
      toast(texts.files.deleted(path), { undo: putBack });
    } catch (error) {
      toast(messageOf(error), { failed: true });
    }
  };
  return (
    <Menu
      label={texts.actions.more}
      trigger={(props) => (
        <Button {...props} kind="ghost" size="icon" tip={texts.actions.more}>
          <Ellipsis aria-hidden="true" className="size-4" />
        </Button>
      )}
      items={[
        { label: texts.files.copyPath, icon: Copy, onChoose: () => void navigator.clipboard.writeText(path) },
        {
          label: texts.files.download,
          icon: Download,
          onChoose: () => download(path.slice(path.lastIndexOf("/") + 1), content),
        },
        mayDo(key, "agent:write") && {
          label: texts.labels.delete,
          icon: Trash2,
          danger: true,
          onChoose: () => void erase(),
        },
      ]}
    />
  );
}
