import type { Route } from './bind.ts';

/** Returns the methods served at a path, as the header `Allow` lists them, or null if there are none. */
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

/** The first segments of all paths that are served, such as `v1`. */
export function firstSegments(routes: Route[]): Set<string> {
  const paths = routes.flatMap(({ endpoint }) => [endpoint.path, ...(endpoint.aliases ?? [])]);
  return new Set([...paths, ...otherPaths].map((path) => path.split('/')[1]!));
}

/** What is served besides the endpoints of the contract: the API document, the page, and the paths of W&B clients. */
const otherPaths = ['/docs', '/assets', '/graphql', '/storage', '/files', '/traces', '/oidc'];
