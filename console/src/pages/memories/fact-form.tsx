import type { Fact, FactCategory } from "recollect/client";
import { texts } from "../../texts/texts.ts";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";

/** The fields of a form for the properties of a fact. */
export function FactFields({ fact, subject }: { fact?: Fact | undefined; subject?: string | undefined }) {
  const { columns, memories } = texts;
  return (
    <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
      <Field label={memories.aboutWhom}>
        <Input name="subject" defaultValue={fact?.subject ?? subject ?? ""} placeholder={memories.aboutExample} />
      </Field>
      <Field label={columns.category}>
        <Select name="category" of={texts.categories} defaultValue={fact?.category ?? "fact"} />
      </Field>
      <Field label={columns.importance}>
        <Select name="importance" of={memories.importanceNames} defaultValue={nearest(fact?.importance ?? 0.5)} />
      </Field>
      <Field label={columns.tags} hint={memories.tagsHint}>
        <Input name="tags" defaultValue={fact?.tags.join(", ") ?? ""} />
      </Field>
    </div>
  );
}

/** Returns what the fields of a fact's form say. */
export function valuesOf(form: HTMLFormElement) {
  const values = new FormData(form);
  const text = (name: string) => String(values.get(name) ?? "").trim();
  return {
    subject: text("subject"),
    category: text("category") as FactCategory,
    importance: Number(text("importance")),
    tags: text("tags")
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
  };
}

/** Returns the choice of the form that is nearest to an importance. */
function nearest(importance: number): string {
  const choices = Object.keys(texts.memories.importanceNames);
  return choices.reduce((best, one) =>
    Math.abs(Number(one) - importance) < Math.abs(Number(best) - importance) ? one : best,
  );
}
