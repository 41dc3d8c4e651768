/**
 * Whether a path belongs to the web page: one of its own, a project, or one of the addresses that the SDKs print. Paths of
 * the API come first; `reserved` are their first segments, which no project's path begins with.
 */
export function isPagePath(path: string, reserved: ReadonlySet<string>): boolean {
  const [first = '', ...rest] = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (rest.length === 0) return ownPages.has(first);
  const [project, kind, ...below] = rest;
  if (first === '' || project === '') return false;
  if (kind === undefined) return !reserved.has(first);
  if (kind === 'runs' || kind === 'sweeps') return below.length === 1;
  return kind === 'weave' || (kind === 'r' && below[0] === 'call' && below.length === 2);
}

/** The start page, and those that are not about one project. `authorize` is where the SDKs send users for their key. */
const ownPages: ReadonlySet<string> = new Set(['', 'sign-in', 'authorize', 'settings']);
