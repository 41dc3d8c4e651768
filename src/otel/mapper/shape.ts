import type { RawSpan } from '../raw-span.ts';
import type { Source } from './convention.ts';

/**
 * The sources worth asking, by what the spans of one shape have at the top of their attributes. There are hundreds of
 * sources and few shapes: a library writes the same keys on every span. Without this, asking them all takes a third of the
 * time in which a span is read.
 */
type Shape = Map<readonly Source[], readonly Source[]>;

const shapes = new Map<string, Shape & { roots: ReadonlySet<string>; hasEvents: boolean }>();
const shapesMax = 1000;

/** Of these sources, in their order, those that may have a value on this span. `sources` must be the same list each time. */
export function sourcesWorthAsking<Of extends Source>(span: RawSpan, sources: readonly Of[]): readonly Of[] {
  const shape = span === lastSpan ? lastShape! : shapeOf(span);
  const known = shape.get(sources);
  if (known) return known as readonly Of[];
  const { roots, hasEvents } = shape;
  const worth = sources.filter((source) => (source.ofEvents ? hasEvents : !source.root || roots.has(source.root)));
  shape.set(sources, worth);
  return worth;
}

/** One span is asked for many things in a row. */
let lastSpan: RawSpan | null = null;
let lastShape: (Shape & { roots: ReadonlySet<string>; hasEvents: boolean }) | null = null;

function shapeOf(span: RawSpan) {
  const keys = [...span.attributes.tree.keys()];
  const hasEvents = span.events.length > 0;
  const signature = `${hasEvents} ${keys.join(' ')}`;
  let shape = shapes.get(signature);
  if (!shape) {
    // A key with dots stands beside a plain value (see `nest`), and is found by its beginning.
    const roots = new Set(keys.map((key) => key.split('.', 1)[0]!));
    shape = Object.assign(new Map(), { roots, hasEvents });
    if (shapes.size >= shapesMax) shapes.clear();
    shapes.set(signature, shape!);
  }
  lastSpan = span;
  lastShape = shape!;
  return shape!;
}
