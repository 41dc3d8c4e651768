import { useQueries } from '@tanstack/react-query';
import { fieldText } from '../../features/call/field-paths.ts';
import { useProject } from '../../features/use-project.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Status.tsx';
import { countQuery, type Query } from './traces-query.ts';

type NoMatchProps = { query: Query | null; onClear: () => void };

/** Shown instead of an empty list: if the filter names a field that no call of the project has, it says so. */
export function NoMatch({ query, onClear }: NoMatchProps) {
  const { id: projectId } = useProject();
  const fields = payloadFields(query);
  const counts = useQueries({
    queries: fields.map((readings) => ({
      ...countQuery({ projectId, filter: { trace_roots_only: false }, query: isSet(readings) }, 1),
      placeholderData: undefined,
    })),
  });
  const unknown = fields.filter((_, index) => counts[index]?.data?.count === 0);
  return (
    <Empty
      icon="filter"
      title="No calls match"
      actions={<Button onClick={onClear}>Clear filter and time range</Button>}
    >
      {unknown.map(([field]) => (
        <p key={field} role="status">
          No call of this project has the field <code>{fieldText(field!)}</code>.
        </p>
      ))}
      Try fewer conditions, a longer time range, or all calls instead of traces.
    </Empty>
  );
}

/** The fields of payloads in a query; those that one path may mean are together. */
function payloadFields(query: Query | null): string[][] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === '$getField' && typeof member === 'string' && isPayload.test(member)) found.add(member);
      else visit(member);
    }
  };
  visit(query);
  const groups = Map.groupBy(found, (field) => field.replaceAll(String.raw`\.`, '.'));
  return [...groups.values()].slice(0, shownMax);
}

const isPayload = /^(inputs|output|attributes|summary)\.(?!weave\.)/;
const shownMax = 5;

function isSet(fields: string[]): Query {
  const operands = fields.map((field) => ({
    $eq: [{ $convert: { input: { $getField: field }, to: 'exists' } }, { $literal: true }],
  }));
  return { $expr: { $or: operands } } as Query;
}
