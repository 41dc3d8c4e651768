import { invalidInput } from '../../../util/failures.ts';
import { ownMember } from '../../../util/json/own-member.ts';
import type { Trial } from './trial.ts';

/** A value of a trial that filters and sorting can name. */
export type ResultField =
  | { root: 'scores' | 'inputs' | 'output'; path: string[]; name: string }
  | { root: 'row_digest'; path: []; name: string };

const roots = ['scores', 'inputs', 'output'] as const;

/** Parses `scores.accuracy.value`; `\.` is a dot inside a name. Null if evaluation results have no such field. */
export function parseResultField(name: string): ResultField | null {
  if (name === 'row_digest') return { root: 'row_digest', path: [], name };
  const [root, ...path] = name.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'));
  const known = roots.find((each) => each === root);
  return known && path.length > 0 && path[0] !== '' ? { root: known, path, name } : null;
}

/** @throws Failure for a field that cannot be used in filters. */
export function filterField(name: string): ResultField {
  const field = parseResultField(name);
  if (field) return field;
  throw invalidInput(`Unsupported eval results field: '${name}'. Supported: scores.*, inputs.*, output.*, row_digest.`);
}

/** The value of a field in one trial; null if it has none. */
export function readField(field: ResultField, trial: Trial): unknown {
  switch (field.root) {
    case 'row_digest':
      return trial.rowDigest;
    case 'scores':
      return at(trial.scores, field.path);
    case 'inputs':
    case 'output':
      return trial.values.get(field.name) ?? null;
    default:
      return field satisfies never;
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = ownMember(found, name);
  return found ?? null;
}

/** Whether the field belongs to the dataset's row. */
export function readsRows({ root }: ResultField): boolean {
  return root === 'inputs';
}
