import { type FormEvent, useState } from "react";
import { useUnsavedFields } from "../../app/use-unsaved.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field, Input } from "../../ui/input.tsx";

interface AddQuestionProps {
  onAdd: (text: string, path: string) => Promise<unknown>;
  onClose: () => void;
}

/** Adds a question and the path of its answer. */
export function AddQuestion({ onAdd, onClose }: AddQuestionProps) {
  const { fields, done } = useUnsavedFields();
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    try {
      await onAdd(String(values.get("question")).trim(), String(values.get("path")).trim());
      done();
      onClose();
    } catch (cause) {
      setError(cause);
    }
  };
  return (
    <Dialog title={texts.evaluation.add} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)} {...fields}>
        <Field label={texts.labels.question}>
          <Input name="question" required maxLength={2000} />
        </Field>
        <Field label={texts.labels.rightAnswer}>
          <Input name="path" required placeholder={texts.labels.notesPlanMdOrFacts12} />
        </Field>
        {error !== undefined && <ErrorBox error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.labels.cancel}</Button>
          <Button type="submit" kind="primary">
            {texts.labels.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
