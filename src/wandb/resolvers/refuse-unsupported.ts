import { badRequest } from '../../contract/errors.ts';

/**
 * What a client sends and heddle would not store or do is refused, not dropped.
 * @throws ApiError 400 that names the first value that is set
 */
export function refuseUnsupported(what: string, values: Record<string, unknown>): void {
  const set = Object.entries(values).find(([, value]) => !isUnset(value));
  if (set) throw badRequest(`${what} of heddle has no ${set[0]} (found ${JSON.stringify(set[1])}). Leave it out.`);
}

/** Clients send unset fields as null, empty or false. */
function isUnset(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}
