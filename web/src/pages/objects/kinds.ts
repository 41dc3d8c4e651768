import type { ObjectVersion } from '../../api/objects.ts';

/** The kinds that the list can be narrowed to. */
export const objectKinds = [
  { value: '', label: 'Everything but ops' },
  { value: 'Dataset', label: 'Datasets' },
  { value: 'Model', label: 'Models' },
  { value: 'Prompt', label: 'Prompts' },
  { value: 'Scorer', label: 'Scorers' },
  { value: 'Evaluation', label: 'Evaluations' },
  { value: 'Leaderboard', label: 'Leaderboards' },
  { value: 'other', label: 'Other objects' },
  { value: 'op', label: 'Ops' },
];

const named = new Set(objectKinds.map(({ value }) => value));

export function isOfKind(object: ObjectVersion, kind: string): boolean {
  if (object.kind === 'op') return kind === 'op';
  if (kind === '') return true;
  return kind === 'other' ? !named.has(object.base_object_class ?? 'other') : object.base_object_class === kind;
}

/** What an object is, in a word: `Model` also for a subclass of it. */
export function kindTitle({ kind, base_object_class, leaf_object_class }: ObjectVersion): string {
  if (kind === 'op') return 'Op';
  if (!base_object_class) return 'Object';
  return leaf_object_class && leaf_object_class !== base_object_class
    ? `${base_object_class} · ${leaf_object_class}`
    : base_object_class;
}
