import { isNumber, recordOf, writeJson } from './json.ts';

const lengthMax = 240;

/** A payload in one line, for a cell: the text that a reader looks for, or else its JSON. */
export function previewOf(value: unknown): string {
  return oneLine(textOf(value));
}

/** The last message of a chat, the only text of an object, or everything. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || isNumber(value)) return String(value);
  const record = recordOf(value);
  const messages = Array.isArray(value) ? value : record.messages;
  const message = recordOf(
    Array.isArray(messages)
      ? messages.at(-1)
      : (recordOf((record.choices as unknown[] | undefined)?.[0]).message ?? value),
  );
  if (typeof message.content === 'string') return message.content;
  const members = Object.entries(record).filter(
    ([name, each]) => name !== 'self' && each !== null && each !== undefined,
  );
  if (members.length === 1 && typeof members[0]![1] === 'string') return members[0]![1];
  return Object.keys(record).length > 0
    ? members.map(([name, each]) => `${name}: ${typeof each === 'string' ? each : writeJson(each)}`).join(' · ')
    : writeJson(value);
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * lengthMax)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > lengthMax ? `${line.slice(0, lengthMax)}…` : line;
}
