/** @returns a warning for each key of an object in the body that its schema does not name */
export function unknownKeys(name: string, config: object | null, shape: object): string[] {
  return Object.keys(config ?? {})
    .filter((key) => !Object.hasOwn(shape, key))
    .map((key) => `${name}.${key} is unknown and has no effect.`);
}
