import type { SavedView } from '../../../api/saved-views.ts';

/** The name of the object for a new view, made from its label: `Slow failures` is `slow-failures`. */
export function newViewName(label: string, views: SavedView[]): string {
  const words = label
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80);
  const name = `view-${words || 'of-calls'}`;
  const taken = new Set(views.map((view) => view.name));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return free;
}
