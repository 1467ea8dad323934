import type { AgentSettings } from "recollect/client";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { effectOf, type SettingChange, SettingChanges } from "./setting-changes.tsx";

interface SaveBarProps {
  changes: readonly SettingChange[];
  settings: AgentSettings;
  /** Whether the changes are shown for the last time before they are saved. */
  asks: boolean;
  error: unknown;
  isSaving: boolean;
  onDiscard: () => void;
  onSave: () => void;
  onClose: () => void;
}

/** Says that something is changed, and shows the changes before they are saved. */
export function SaveBar({ changes, settings, asks, error, isSaving, onDiscard, onSave, onClose }: SaveBarProps) {
  const { settings: words } = texts;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-border bg-surface px-5 py-3 max-md:px-4">
      <strong className="text-sm">{words.unsaved(changes.length)}</strong>
      <span role="status" className="min-w-0 text-sm text-fg-2">
        {effectOf(changes, settings)}
      </span>
      <span className="ms-auto flex gap-2">
        <Button onClick={onDiscard}>{texts.files.discard}</Button>
        <Button type="submit" kind="primary">
          {words.review}
        </Button>
      </span>
      {asks && (
        <Dialog title={words.review} onClose={onClose}>
          <div className="flex flex-col gap-4">
            <SettingChanges changes={changes} settings={settings} />
            {error !== null && error !== undefined && <ErrorBox error={error} />}
            <div className="flex justify-end gap-2">
              <Button onClick={onClose}>{texts.labels.cancel}</Button>
              <Button kind="primary" onClick={onSave} disabled={isSaving} data-autofocus="">
                {texts.labels.save}
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  );
}
