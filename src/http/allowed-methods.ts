import type { Route } from './bind.ts';

/** Answers the methods that are served at a path, as the header `Allow` lists them; null where nothing is served. */
export function allowedMethods(routes: Route[]): (path: string) => string | null {
  const served = new Map<string, Set<string>>();
  for (const { endpoint } of routes) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      served.set(path, (served.get(path) ?? new Set()).add(endpoint.method));
    }
  }
  const patterns = [...served].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    allow: [...methods].join(', '),
  }));
  return (path) => patterns.find(({ pattern }) => pattern.test(path))?.allow ?? null;
}
