/** The member of an object, or the element of a list at a written index; undefined where there is none, inherited ones included. */
export function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined; // not `length`
  return (value as Record<string, unknown>)[name];
}

/** Whether a parsed value is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
