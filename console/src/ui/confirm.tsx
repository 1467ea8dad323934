import { type ReactNode, useState } from "react";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorBox } from "./error-box.tsx";
import { Input } from "./input.tsx";

interface ConfirmProps {
  title: string;
  /** The consequence of the action, such as what will be deleted. */
  message: string;
  /**
   * The name that the user has to type, for an agent, a tenant or many things at once; undefined: a
   * click is enough.
   */
  name?: string | undefined;
  action: string;
  /** Whether the action destroys something. */
  danger?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** A choice that belongs to the action. */
  children?: ReactNode;
}

/** Asks the user before an action that cannot be undone with a click. */
export function Confirm({
  title,
  message,
  name,
  action,
  danger = name !== undefined,
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const confirm = async () => {
    setState({ busy: true });
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <p className="[overflow-wrap:anywhere]">{message}</p>
        {children}
        {name !== undefined && (
          <label className="flex flex-col gap-1 text-sm text-fg-2">
            <span>
              {texts.confirm.type} <code className="font-mono text-fg">{name}</code> {texts.confirm.toConfirm}
            </span>
            <Input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
          </label>
        )}
        {state.error !== undefined && <ErrorBox error={state.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.labels.cancel}</Button>
          <Button
            type="submit"
            kind={danger ? "danger" : "primary"}
            disabled={typed !== (name ?? "") || state.busy}
            data-autofocus=""
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
