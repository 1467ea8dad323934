import { z } from "zod";

/**
 * A setting that a layer may leave out. `Unset` is undefined for a setting without a default, else
 * never.
 */
type Setting<S extends z.ZodType, Unset> = z.ZodOptional<S> & { readonly "~unset"?: Unset };

const defaults = new Map<z.core.$ZodType, unknown>();

/**
 * Declares a setting.
 *
 * @param value the value that holds when no layer sets it; undefined: the setting is then unset
 * @param does the setting's sentence in docs/SETTINGS.md, which is made of these sentences, the
 *   ranges and the defaults
 */
export function setting<S extends z.ZodType>(schema: S, value: z.output<S>, does: string): Setting<S, never>;
export function setting<S extends z.ZodType>(schema: S, value: undefined, does: string): Setting<S, undefined>;
export function setting<S extends z.ZodType>(schema: S, value: unknown, does: string): z.ZodOptional<S> {
  const declared = schema.optional().describe(does);
  defaults.set(declared, value);
  return declared;
}

/** The settings of a schema with a value for each; a setting without a default may be undefined. */
export type Effective<S> =
  S extends z.ZodOptional<infer Inner>
    ? Inner extends z.ZodObject<infer Shape, z.core.$strict>
      ? { readonly [Key in keyof Shape]: Effective<Shape[Key]> }
      : z.output<Inner> | (S extends { readonly "~unset"?: infer Unset } ? Unset : never)
    : S extends z.ZodObject<infer Shape, z.core.$strict>
      ? { readonly [Key in keyof Shape]: Effective<Shape[Key]> }
      : never;

/** Returns the defaults of a schema, with every leaf present. */
export function defaultsOf<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape, z.core.$strict>,
): Effective<z.ZodObject<Shape, z.core.$strict>> {
  const values = Object.entries(schema.shape).map(([key, child]) => {
    const inner = child instanceof z.ZodOptional ? child.unwrap() : child;
    return [key, inner instanceof z.ZodObject ? defaultsOf(inner as never) : defaults.get(child)];
  });
  return Object.fromEntries(values) as Effective<z.ZodObject<Shape, z.core.$strict>>;
}

export const bool = (value: boolean, does: string) => setting(z.boolean(), value, does);

/** Declares a whole number in a range. */
export function whole<T extends number | undefined>(least: number, most: number, value: T, does: string) {
  const rule = `must be a whole number from ${least} to ${most}`;
  const declared = setting(z.int(rule).min(least, rule).max(most, rule), value as number, does);
  return declared as Setting<z.ZodInt, Extract<T, undefined>>;
}

/** Declares a number in a range. */
export function number<T extends number | undefined>(least: number, most: number, value: T, does: string) {
  const rule = `must be a number from ${least} to ${most}`;
  const declared = setting(z.number(rule).min(least, rule).max(most, rule), value as number, does);
  return declared as Setting<z.ZodNumber, Extract<T, undefined>>;
}

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T, value: T[number], does: string) =>
  setting(z.enum(values, `must be one of ${values.join(", ")}`), value, does);

/** Declares a text without a default. */
export const text = (most: number, does: string) => setting(z.string().min(1).max(most), undefined, does);

/**
 * Declares a model's name, without a default. The name goes into URLs and file names, so it may be
 * a relative path but must not lead out of its folder.
 */
export const modelName = (does: string) =>
  setting(
    z
      .string()
      .max(200)
      .regex(/^[\w.:@-]+(\/[\w.:@-]+)*$/, "must be a model's name")
      .refine((name) => !name.includes(".."), "must be a model's name"),
    undefined,
    does,
  );
