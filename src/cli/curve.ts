const titleWidthUsual = 17;
const numberWidth = 10;
const columnsMin = 8;

/** `loss             0.25 █▆▄▂▁ 0.01`: the first value, the curve, the last value. Nothing without values. */
export function curveOf(title: string, values: number[], width: number, titleWidth = titleWidthUsual): string[] {
  if (values.length === 0) return [];
  const room = Math.max(columnsMin, width - titleWidth - 2 * numberWidth);
  const [first, last] = [values[0]!, values.at(-1)!].map(shortNumber);
  const start = `${title.padEnd(titleWidth)}${first!.padStart(numberWidth - 1)}`;
  return [values.length === 1 ? start : `${start} ${sparkline(values, room)} ${last}`];
}

/** Curves under each other, whatever the length of their titles. */
export function curveLines(curves: [title: string, values: number[]][], width: number): string[] {
  const titleWidth = Math.max(titleWidthUsual, ...curves.map(([title]) => title.length + 1));
  return curves.flatMap(([title, values]) => curveOf(title, values, width, titleWidth));
}

const bars = '▁▂▃▄▅▆▇█';

/** One character for each value, or for each stretch of values where there are more than fit. */
export function sparkline(values: number[], width: number): string {
  const count = Math.min(values.length, width);
  const means = Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * values.length) / count);
    const part = values.slice(from, Math.max(from + 1, Math.floor(((i + 1) * values.length) / count)));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  const low = Math.min(...means);
  const range = Math.max(...means) - low;
  return means.map((value) => bars[range === 0 ? 0 : Math.round(((value - low) / range) * (bars.length - 1))]).join('');
}

export function shortNumber(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e5)) return value.toExponential(2);
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : value.toPrecision(3);
}
