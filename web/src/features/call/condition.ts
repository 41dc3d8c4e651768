/** A condition that a value of a call meets, such as `inputs.user:"ada"`. */
export function conditionText(field: string, value: unknown): string {
  return `${field}:${typeof value === 'string' ? quoted(value, true) : String(value)}`;
}

/** A value as filters write it. */
export function quoted(value: string, always = false): string {
  const isPlain = !always && /^[^\s()"'\\]+$/.test(value);
  return isPlain ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
