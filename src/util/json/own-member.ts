/** The own member of an object, or the element of a list at an index given as a string; undefined if there is none. */
export function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined; // not `length`
  return (value as Record<string, unknown>)[name];
}

/** Whether a parsed value is an object and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
