import { formatTimestamp } from '../../util/timestamp.ts';
import type { FeedbackField } from './feedback-field.ts';

/** A field with the path used in the request, and its value as returned by the store. */
export type FoundField = { path: string; field: FeedbackField; value: unknown };

/** Feedback as clients see it, as JSON text: payloads are inserted as stored. */
export function feedbackJson(fields: FoundField[]): string {
  return `{${fields.map((found) => `${JSON.stringify(found.path)}:${valueJson(found)}`).join(',')}}`;
}

function valueJson({ field, value }: FoundField): string {
  switch (field.kind) {
    case 'text':
      return field.isNullable && value === '' ? 'null' : JSON.stringify(value);
    case 'time':
      return JSON.stringify(formatTimestamp(Number(value)));
    case 'payload':
      return field.path.length === 0 ? String(value) : JSON.stringify(value);
    case 'tags':
    case 'texts':
    case 'numbers':
      return JSON.stringify(value);
    default:
      return field satisfies never;
  }
}
