import type { RawSpan } from '../raw-span.ts';
import { opened, plainText, type Tree, valueAt } from '../tree.ts';

/** The error of a span, and the key it was read from. The text is never empty, because it marks a call as failed. */
export type SpanFailure = { message: string; key: string };

/** Null for a span that did not fail. The status decides; if it is not set, the conventions' own markers do. */
export function failureOf(span: RawSpan): SpanFailure | null {
  const { status, events } = span;
  if (status.code === 'ERROR') {
    if (status.message !== '') return { message: status.message, key: 'status' };
    return thrownIn(events) ?? messageOf(span) ?? { message: 'error', key: 'status' };
  }
  const mark = status.code === 'UNSET' ? marks.find(({ key, says }) => says(at(span, key))) : undefined;
  if (!mark) return null;
  return (
    messageOf(span) ??
    thrownIn(events) ?? { message: mark.key === 'error' ? 'error' : plainText(at(span, mark.key)), key: mark.key }
  );
}

/** How spans without a status indicate failure. */
const marks: { key: string; says: (value: Tree | undefined) => boolean }[] = [
  { key: 'langfuse.observation.level', says: (value) => value === 'ERROR' },
  { key: 'otel.status_code', says: (value) => value === 'ERROR' },
  { key: 'error.type', says: (value) => typeof value === 'string' && value !== '' },
  { key: 'error', says: (value) => value === true || value === 'true' },
];

function thrownIn(events: RawSpan['events']): SpanFailure | null {
  const thrown = events.find(({ name }) => name === 'exception');
  const message = thrown && valueAt(thrown.attributes.tree, ['exception', 'message']);
  return message ? { message: plainText(message), key: 'exception.message' } : null;
}

/** What some libraries write instead of a status message. */
function messageOf(span: RawSpan): SpanFailure | null {
  for (const key of messageKeys) {
    const value = at(span, key);
    if (typeof value === 'string' && value !== '' && value !== 'true') return { message: value, key };
  }
  return null;
}

const messageKeys = [
  'langfuse.observation.status_message',
  'otel.status_description',
  'error.message',
  'exception.message',
  'error',
  'error.type',
];

function at({ attributes: { tree } }: RawSpan, key: string): Tree | undefined {
  return opened(tree.get(key) ?? valueAt(tree, key.split('.')));
}
