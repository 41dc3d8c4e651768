/** Prints one line of results: a name and its figures. */
export function report(name: string, figures: Record<string, number | string>): void {
  const shown = Object.entries(figures).map(
    ([unit, value]) => `${typeof value === 'number' ? round(value) : value} ${unit}`,
  );
  process.stdout.write(`${name.padEnd(44)} ${shown.join('   ')}\n`);
}

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
