/**
 * A value that takes long to pass to another thread, cut into pieces that do not: first the remainder, then the pieces,
 * each with the location of the array or object that it belongs to. Pieces are inserted in order.
 */
export type Pieces = { rest: unknown; cuttings: Cutting[] };
export type Cutting =
  | { path: Step[]; elements: unknown[] }
  | { path: Step[]; members: [key: string, value: unknown][] };
type Step = string | number;

/** Cuts arrays and objects in place, so that no piece contains much more than ten thousand values. */
export function cutToPieces(value: unknown): Pieces {
  const cuttings: Cutting[] = [];
  lighten(value, [], cuttings);
  // Containers before what belongs into those inside them; what belongs into one of them keeps its order.
  cuttings.sort((a, b) => a.path.length - b.path.length);
  return { rest: value, cuttings };
}

/** Inserts a piece where it was cut out. */
export function insertPiece(rest: unknown, cutting: Cutting): void {
  let container = rest as Record<Step, unknown>;
  for (const step of cutting.path) container = container[step] as Record<Step, unknown>;
  if ('elements' in cutting) for (const element of cutting.elements) (container as unknown as unknown[]).push(element);
  else for (const [key, value] of cutting.members) setOwn(container, key, value);
}

const weightMax = 10_000;

/** Cuts pieces from a value until it is small, and returns its size: roughly the number of its values. */
function lighten(value: unknown, path: Step[], cuttings: Cutting[]): number {
  if (typeof value === 'string') return 1 + value.length / 128;
  if (typeof value !== 'object' || value === null) return 1;
  return Array.isArray(value) ? lightenArray(value, path, cuttings) : lightenObject(value, path, cuttings);
}

function lightenArray(array: unknown[], path: Step[], cuttings: Cutting[]): number {
  let weight = 1;
  let start = 0;
  for (let i = 0; i < array.length; i++) {
    weight += lighten(array[i], [...path, i], cuttings);
    if (weight <= weightMax) continue;
    cuttings.push({ path, elements: array.slice(start, i + 1) });
    start = i + 1;
    weight = 1;
  }
  if (start === 0) return weight;
  if (start < array.length) cuttings.push({ path, elements: array.slice(start) });
  array.length = 0;
  return 1;
}

function lightenObject(object: object, path: Step[], cuttings: Cutting[]): number {
  let weight = 1;
  let members: [string, unknown][] = [];
  let isCut = false;
  const entries = Object.entries(object);
  for (const entry of entries) {
    weight += lighten(entry[1], [...path, entry[0]], cuttings);
    members.push(entry);
    if (weight <= weightMax) continue;
    cuttings.push({ path, members });
    [members, weight, isCut] = [[], 1, true];
  }
  if (!isCut) return weight;
  if (members.length > 0) cuttings.push({ path, members });
  for (const [key] of entries) delete (object as Record<string, unknown>)[key];
  return 1;
}

/** Also `__proto__`, as a member like any other. */
function setOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
