/** Returns the values of at most three lines above 0, which are round numbers. */
export function linesUpTo(most: number): number[] {
  if (most <= 0) return [1];
  const rough = most / 3;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= rough) ?? unit;
  const whole = most < 4 && Number.isInteger(most) ? Math.max(1, Math.ceil(step)) : step;
  return Array.from({ length: Math.ceil(most / whole) }, (_, at) => Number(((at + 1) * whole).toPrecision(12)));
}

/** Returns the places of labels below a chart, so that neighbours do not touch. */
export function labelsBelow(count: number, width: number, labelWidth = 72): number[] {
  if (count === 0) return [];
  const most = Math.max(2, Math.floor(width / labelWidth));
  if (count <= most) return Array.from({ length: count }, (_, at) => at);
  // The steps are equal and begin at the last place, because its label matters most.
  const step = Math.ceil((count - 1) / (most - 1));
  return Array.from({ length: Math.floor((count - 1) / step) + 1 }, (_, at) => count - 1 - at * step).reverse();
}

/** Adds up the values before each value: the course of a total. */
export function runningTotal(values: readonly number[], before = 0): number[] {
  let sum = before;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}
