import type { IncomingValue } from './incoming-value.ts';

/** Explains why a value cannot be published under a name whose versions have a different class. */
export function describeCollision(objectId: string, incoming: IncomingValue, otherClass: string | null): string {
  return (
    `Cannot publish '${objectId}' as ${describe(incoming.classes.base)}: that name is already used by ` +
    `${describe(otherClass)} in this project.${cutName(objectId, incoming)} Object versions cannot share types, ` +
    'publish this object under a different name.'
  );
}

function describe(objectClass: string | null): string {
  return objectClass === null ? 'a generic (untyped) object' : `a ${objectClass}`;
}

/** The SDK truncates names to 128 characters, so two long names may have become equal. */
function cutName(objectId: string, { value }: IncomingValue): string {
  const name = value instanceof Map ? value.get('name') : undefined;
  const isCut = [...objectId].length === 128 && typeof name === 'string' && [...name].length > 128;
  return isCut ? ` The object is named '${name}'.` : '';
}
