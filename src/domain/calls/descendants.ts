/**
 * The calls in `ids` that exist, with all their descendants, each once. `members` are all calls of their traces; parent
 * links that lead to another trace are not followed.
 */
export function withDescendants(ids: string[], members: TraceMember[]): string[] {
  const children = Map.groupBy(members, ({ traceId, parentId }) => `${traceId}/${parentId}`);
  const wanted = new Set(ids);
  const waiting = members.filter(({ id }) => wanted.has(id));
  const found = new Set<string>();
  while (waiting.length > 0) {
    const { id, traceId } = waiting.pop()!;
    if (found.has(id)) continue;
    found.add(id);
    for (const child of children.get(`${traceId}/${id}`) ?? []) waiting.push(child);
  }
  return [...found];
}

export type TraceMember = { id: string; parentId: string; traceId: string };
