/** What a field of a number has in common with others. Its text is kept as it is typed. */
export function numberField(value: string, onText: (text: string) => void) {
  return {
    value,
    inputMode: 'decimal' as const,
    error: isNumberOrEmpty(value) ? undefined : 'Enter a number',
    onChange: ({ target }: { target: { value: string } }) => onText(target.value.trim()),
  };
}

export function isNumberOrEmpty(text: string): boolean {
  return Number.isFinite(Number(text)); // the number of an empty text is 0
}
