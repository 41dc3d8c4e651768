/** A number unchanged, true as 1 and false as 0; null for anything else. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' ? value : null;
}

/** Null without values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
