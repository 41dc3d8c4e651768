import { invalidInput } from '../../util/failures.ts';
import type { RowField } from '../query/in-memory/row-field.ts';
import type { ProjectPrice } from './price-book.ts';

/** A field of a project's prices, as named in queries. @throws Failure for an unknown field. */
export function priceField(name: string, projectName: string): RowField<ProjectPrice> {
  if (name === 'pricing_level_id') return { kind: 'text', read: () => projectName };
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field)
    throw invalidInput(`Unknown field: ${name}. Allowed are pricing_level_id, ${Object.keys(fields).join(', ')}`);
  return field;
}

const text = (read: (price: ProjectPrice) => string) => ({ kind: 'text', read }) as const;
const number = (read: (price: ProjectPrice) => number) => ({ kind: 'number', read }) as const;
const time = (read: (price: ProjectPrice) => number) => ({ kind: 'time', read }) as const;

const fields: Record<string, RowField<ProjectPrice>> = {
  id: text(({ id }) => id),
  pricing_level: text(({ level }) => level),
  provider_id: text(({ providerId }) => providerId),
  llm_id: text(({ llmId }) => llmId),
  effective_date: time(({ effectiveDate }) => effectiveDate),
  prompt_token_cost: number(({ prompt }) => prompt),
  completion_token_cost: number(({ completion }) => completion),
  cache_read_input_token_cost: number(({ cacheRead }) => cacheRead),
  cache_creation_input_token_cost: number(({ cacheCreation }) => cacheCreation),
  prompt_token_cost_unit: text(({ promptUnit }) => promptUnit),
  completion_token_cost_unit: text(({ completionUnit }) => completionUnit),
  created_by: text(({ createdBy }) => createdBy),
  created_at: time(({ createdAt }) => createdAt),
};
