import { isNumberOrEmpty } from './gate-form.ts';

/** What a field of a number has in common with others. */
export function numberField(value: string, onText: (text: string) => void) {
  return {
    value,
    inputMode: 'decimal' as const,
    error: isNumberOrEmpty(value) ? undefined : 'Enter a number',
    onChange: ({ target }: { target: { value: string } }) => onText(target.value.trim()),
  };
}
