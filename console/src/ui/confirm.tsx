import { useState } from "react";
import { texts } from "../texts/texts.ts";
import { Dialog } from "./dialog.tsx";
import { ErrorBox } from "./error-box.tsx";

interface ConfirmProps {
  title: string;
  /** The consequence of the action, such as what will be deleted. */
  message: string;
  /** The name that the user has to type; undefined for an action that can be undone. */
  name?: string | undefined;
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/**
 * Asks the user before an action. If the action destroys something, the user has to type its name
 * first. If the action can be undone, one click is enough.
 */
export function Confirm({ title, message, name, action, onConfirm, onClose }: ConfirmProps) {
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
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <p>{message}</p>
        {name !== undefined && (
          <label>
            <span className="ask">
              {texts.confirm.type} <code>{name}</code> {texts.confirm.toConfirm}
            </span>
            <input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
          </label>
        )}
        {state.error !== undefined && <ErrorBox error={state.error} />}
        <div className="row">
          <button
            type="submit"
            className={name === undefined ? "primary" : "danger"}
            disabled={typed !== (name ?? "") || state.busy}
          >
            {action}
          </button>
          <button type="button" onClick={onClose}>
            {texts.labels.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
