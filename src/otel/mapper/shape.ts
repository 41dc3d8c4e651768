import type { RawSpan } from '../raw-span.ts';
import type { Source } from './convention.ts';
import { conventions } from './conventions.ts';

/**
 * Which parts that conventions read a span has: events, and keys by their first two segments (`llm.token_count`). There
 * are hundreds of sources and few shapes, because a library writes the same keys on every span, so the sources worth
 * reading are determined once per shape.
 */
type Shape = { marks: string; worth: Map<readonly Source[], readonly Source[]> };

/**
 * Those of the sources that may have a value on this span, in their order. `sources` must be the same list each time.
 */
export function sourcesWorthAsking<Of extends Source>(span: RawSpan, sources: readonly Of[]): readonly Of[] {
  const { marks, worth } = shapeOf(span);
  const known = worth.get(sources);
  if (known) return known as readonly Of[];
  const asked = sources.filter((source) => isWorthAsking(marks, source));
  worth.set(sources, asked);
  return asked;
}

function isWorthAsking(marks: string, { root, second, ofEvents }: Source): boolean {
  if (ofEvents) return marks.startsWith(eventsMark);
  if (root === undefined) return true;
  const { mark, opaqueMark, seconds } = roots.get(root)!;
  if (second === undefined || !marks.includes(mark) || marks.includes(opaqueMark)) return marks.includes(mark);
  return marks.includes(seconds.get(second)!);
}

type Root = { mark: string; opaqueMark: string; seconds: Map<string, string> };

/** Each part that a shape may have is one character. */
let marksGiven = 0;
const nextMark = () => String.fromCharCode(++marksGiven);
const eventsMark = nextMark();
const roots = rootsOf(Object.values(conventions).flatMap(sourcesIn));

function rootsOf(sources: Source[]): Map<string, Root> {
  const found = new Map<string, Root>();
  for (const { root, second } of sources) {
    if (root === undefined) continue;
    const known = found.get(root) ?? { mark: nextMark(), opaqueMark: nextMark(), seconds: new Map() };
    found.set(root, known);
    if (second !== undefined && !known.seconds.has(second)) known.seconds.set(second, nextMark());
  }
  return found;
}

/** The sources of a convention, which are in lists and in records of lists. */
function sourcesIn(value: object): Source[] {
  if (Array.isArray(value)) return value;
  return Object.values(value).flatMap((member) => (typeof member === 'object' ? sourcesIn(member) : []));
}

const shapes = new Map<string, Shape>();
const shapesMax = 1000;

/** One span is queried for many fields in a row. */
let lastSpan: RawSpan | null = null;
let lastShape: Shape | null = null;

function shapeOf(span: RawSpan): Shape {
  if (span === lastSpan) return lastShape!;
  const marks = marksOf(span);
  let shape = shapes.get(marks);
  if (!shape) {
    if (shapes.size >= shapesMax) shapes.clear();
    shape = { marks, worth: new Map() };
    shapes.set(marks, shape);
  }
  lastSpan = span;
  lastShape = shape;
  return shape;
}

function marksOf({ attributes: { tree }, events }: RawSpan): string {
  let marks = events.length > 0 ? eventsMark : '';
  for (const [key, value] of tree) {
    // A key with dots can occur beside a plain value (see `nest`); its prefix finds it.
    const isDotted = key.includes('.');
    const root = roots.get(isDotted ? key.slice(0, key.indexOf('.')) : key);
    if (!root) continue;
    marks += root.mark;
    if (isDotted || !(value instanceof Map)) marks += root.opaqueMark;
    else for (const second of value.keys()) marks += root.seconds.get(second) ?? '';
  }
  return marks;
}
