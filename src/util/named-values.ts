/** Reads `NAME=VALUE` with commas between them. @returns null for other text */
export function parseNamedValues(text: string): Map<string, string> | null {
  const named = new Map<string, string>();
  for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^([^=]+)=(.+)$/s.exec(pair.trim()) ?? [];
    if (name === undefined || value === undefined) return null;
    named.set(name.trim(), value.trim());
  }
  return named;
}
