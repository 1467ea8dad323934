/**
 * Returns whether a value has all fields of a filter: equal values, or values that stand in the
 * relations of `{ $gt: 3, $lt: 9 }`. Texts are compared as texts, everything else as numbers.
 *
 * @throws Error for an operator that there is not
 */
export function matchesFilter(value: Record<string, unknown>, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const given = Object.hasOwn(value, field) ? value[field] : undefined;
    if (!isOperators(wanted)) return isSame(given, wanted);
    return Object.entries(wanted).every(([operator, operand]) => stands(given, operator, operand));
  });
}

function isOperators(wanted: unknown): wanted is Record<string, unknown> {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return false;
  const keys = Object.keys(wanted);
  return keys.length > 0 && keys.every((key) => key.startsWith("$"));
}

function stands(given: unknown, operator: string, operand: unknown): boolean {
  switch (operator) {
    case "$eq":
      return isSame(given, operand);
    case "$ne":
      return !isSame(given, operand);
    case "$gt":
      return compare(given, operand) > 0;
    case "$gte":
      return compare(given, operand) >= 0;
    case "$lt":
      return compare(given, operand) < 0;
    case "$lte":
      return compare(given, operand) <= 0;
    case "$in":
      return Array.isArray(operand) && operand.some((one) => isSame(given, one));
    case "$nin":
      return !Array.isArray(operand) || !operand.some((one) => isSame(given, one));
    default:
      throw new Error(`A filter has no operator ${operator}. Use $eq, $ne, $gt, $gte, $lt, $lte, $in or $nin.`);
  }
}

/** Returns a negative number, 0 or a positive number; NaN if the values cannot be compared. */
function compare(given: unknown, operand: unknown): number {
  if (given === undefined || given === null) return Number.NaN;
  if (typeof given !== "string" || typeof operand !== "string") return Number(given) - Number(operand);
  return given < operand ? -1 : given > operand ? 1 : 0;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const fields = Object.entries(one);
  const others = other as Record<string, unknown>;
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([field, value]) => Object.hasOwn(other, field) && isSame(value, others[field]))
  );
}
