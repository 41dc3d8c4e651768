import type { RawSpan } from '../raw-span.ts';
import { isTruthy, type Tree } from '../tree.ts';
import type { Convention, Source } from './convention.ts';
import { conventions } from './conventions.ts';
import { sourcesWorthAsking } from './shape.ts';

/** A source with the name of its convention. */
export type NamedSource = Source & { convention: string };

/** A value and where it was found. */
export type Found = { source: NamedSource; value: Tree };

/** The first of these sources whose value is truthy in Python. */
export function findFirst(
  span: RawSpan,
  sources: readonly NamedSource[],
  counts: (value: Tree) => boolean = isTruthy,
): Found | null {
  for (const source of sourcesWorthAsking(span, sources)) {
    const value = source.read(span);
    if (value !== undefined && counts(value)) return { source, value };
  }
  return null;
}

/** The sources of one field in all conventions, in the order in which they are read. */
export function sourcesOf(pick: (convention: Convention) => Source[] | undefined): readonly NamedSource[] {
  return Object.entries(conventions).flatMap(([name, convention]) =>
    (pick(convention) ?? []).map((source) => ({ ...source, convention: name })),
  );
}

/** The same for named fields, in the order in which the names first appear. */
export function sourcesByName(
  pick: (convention: Convention) => Record<string, Source[]> | undefined,
): [name: string, sources: readonly NamedSource[]][] {
  const names = new Set(Object.values(conventions).flatMap((convention) => Object.keys(pick(convention) ?? {})));
  return [...names].map((name) => [name, sourcesOf((convention) => pick(convention)?.[name])]);
}
