import { plainText, type Tree, type TreeObject } from '../tree.ts';

/** A call of a tool as chat completions have it. */
export function toolCall(id: Tree | undefined, name: Tree | undefined, args: Tree | undefined): TreeObject {
  const called = new Map<string, Tree>([
    ['name', plainText(name)],
    ['arguments', args === undefined || args === null ? '{}' : plainText(args)],
  ]);
  const whole: [string, Tree][] = [
    ['type', 'function'],
    ['function', called],
  ];
  return new Map<string, Tree>(id === undefined || id === null ? whole : [['id', plainText(id)], ...whole]);
}
