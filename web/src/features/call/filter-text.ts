import type { CallsFilter } from '../../api/saved-views.ts';
import { quoted } from './condition.ts';

const fields: Partial<Record<keyof CallsFilter, string>> = {
  op_names: 'op_name',
  parent_ids: 'parent_id',
  trace_ids: 'trace_id',
  call_ids: 'id',
  thread_ids: 'thread_id',
  turn_ids: 'turn_id',
  wb_user_ids: 'wb_user_id',
};

/** The lists of a filter object in the words of the filter, and the lists for which it has none. */
export function filterTexts(filter: CallsFilter): { texts: string[]; rest: CallsFilter } {
  const entries = Object.entries(filter) as [keyof CallsFilter, unknown][];
  const isText = ([name, value]: [keyof CallsFilter, unknown]) =>
    fields[name] !== undefined && Array.isArray(value) && value.length > 0;
  return {
    texts: entries.filter(isText).map(([name, values]) => {
      const texts = (values as string[]).map(
        (value) => `${fields[name]}:${quoted(name === 'op_names' ? opOf(value) : value)}`,
      );
      return texts.length === 1 ? texts[0]! : `(${texts.join(' or ')})`;
    }),
    rest: Object.fromEntries(entries.filter((entry) => !isText(entry) && entry[1] !== null)),
  };
}

/** All versions of an op are found by its name. */
function opOf(ref: string): string {
  return /^weave:\/\/\/[^/]+\/[^/]+\/op\/([^/:]+):\*$/.exec(ref)?.[1] ?? ref;
}
