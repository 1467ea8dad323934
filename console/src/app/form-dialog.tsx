import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { forgetEdits } from "../lib/unsaved.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { useUnsavedFields } from "./use-unsaved.ts";

interface FormDialogProps<Output> {
  title: string;
  /** The text of the button that sends the form. */
  action: string;
  /** The value in the address that shows the dialog: without it the dialog is closed. */
  shownBy: string;
  send: (values: FormData) => Promise<Output>;
  /** Called after the form was sent, when nothing is unsaved any more. */
  onSent: (output: Output) => unknown;
  onClose: () => void;
  wide?: boolean;
  /** The text that the dialog shows while the form is being sent. */
  progress?: ReactNode;
  children: ReactNode;
}

/**
 * A form in a dialog. A user who has typed something and closes the dialog is asked first, because
 * the dialog is shown by a value in the address: leaving that address is what the guard of unsaved
 * edits holds.
 */
export function FormDialog<Output>({
  title,
  action,
  shownBy,
  send,
  onSent,
  onClose,
  wide = false,
  progress,
  children,
}: FormDialogProps<Output>) {
  const { fields } = useUnsavedFields(shownBy);
  const act = useMutation({
    mutationFn: send,
    onSuccess: (output) => {
      forgetEdits();
      return onSent(output);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    act.mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form className="flex flex-col gap-4" onSubmit={submit} {...fields}>
        {children}
        {act.error && <ErrorBox error={act.error} />}
        {act.isPending && progress}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.labels.cancel}</Button>
          <Button type="submit" kind="primary" disabled={act.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns what a form says under a name, without spaces around it. */
export function textOf(values: FormData, name: string): string {
  return String(values.get(name) ?? "").trim();
}
