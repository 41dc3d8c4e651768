import type { RawSpan } from '../raw-span.ts';
import type { Source } from './convention.ts';
import { conventions } from './conventions.ts';

/**
 * What a span has where conventions look: events, and keys by their first two steps (`llm.token_count`). There are hundreds
 * of sources and few shapes, since a library writes the same keys on every span; so which sources are worth asking is
 * worked out once for each shape.
 */
type Shape = { marks: string; worth: Map<readonly Source[], readonly Source[]> };

/** Of these sources, in their order, those that may have a value on this span. `sources` must be the same list each time. */
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

/** Each thing that a shape may have is a character. */
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

/** The sources of a convention, which has them in lists and in records of lists. */
function sourcesIn(value: object): Source[] {
  if (Array.isArray(value)) return value;
  return Object.values(value).flatMap((member) => (typeof member === 'object' ? sourcesIn(member) : []));
}

const shapes = new Map<string, Shape>();
const shapesMax = 1000;

/** One span is asked for many things in a row. */
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
