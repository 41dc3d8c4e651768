/** Python's `repr` of a string: in single quotes, or in double quotes if it contains only single ones. */
export function pythonRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\n', '\\n');
  return quote + escaped + quote;
}
