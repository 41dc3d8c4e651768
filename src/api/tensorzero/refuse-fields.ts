import { badRequest } from '../../contract/errors.ts';
import type { RefusedFields } from '../../contract/tensorzero/parameters.ts';

/** @throws ApiError 400 for a field whose value would have an effect that heddle does not have */
export function refuseFields(fields: Partial<RefusedFields>, more: Record<string, unknown>): void {
  const found = Object.entries({ ...fields, ...more }).find(([, value]) => hasEffect(value));
  if (found === undefined) return;
  throw badRequest(`${found[0]} is not supported by heddle. Leave it out.`);
}

function hasEffect(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
