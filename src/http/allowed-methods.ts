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

/** The first segments of all paths that are served, such as `v1`. */
export function firstSegments(routes: Route[]): Set<string> {
  const paths = routes.flatMap(({ endpoint }) => [endpoint.path, ...(endpoint.aliases ?? [])]);
  return new Set([...paths, ...otherPaths].map((path) => path.split('/')[1]!));
}

/** What is served beside the endpoints of the contract: the document of the API, the page, and the paths of W&B clients. */
const otherPaths = ['/docs', '/assets', '/graphql', '/storage', '/files', '/traces', '/oidc'];
