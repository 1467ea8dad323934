/**
 * Returns every value that a JSON schema describes, with its dotted path, in the schema's order.
 */
export function leavesOf<Schema extends { properties?: Readonly<Record<string, Schema>> }>(
  schema: Schema,
  path = "",
): [string, Schema][] {
  if (!schema.properties) return [[path, schema]];
  return Object.entries(schema.properties).flatMap(([key, child]) => leavesOf(child, path ? `${path}.${key}` : key));
}
