/** Python's `repr` of a string: in single quotes, or in double quotes if it contains only single ones. */
export function pythonRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replace(unprintable, escapeOf);
  return quote + escaped + quote;
}

/** What `str.isprintable` rejects: other characters and separators, except the space. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const short: Record<string, string | undefined> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = (width: number) => code.toString(16).padStart(width, '0');
  return short[character] ?? (code < 0x100 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`);
}
