/** A call as it matters here: whether it has tokens of its own, and whether it reports the sum of others' tokens. */
export type SummingCall = { id: string; parentId: string; isCounted: boolean; isSum: boolean };

/**
 * The calls whose sums stand: nothing below them reports any tokens, so these are counted nowhere else. Of sums inside of
 * each other the innermost stands.
 */
export function sumsThatStand(calls: SummingCall[]): Set<string> {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const repeated = new Set<string>();
  for (const call of calls) {
    if (!call.isCounted && !call.isSum) continue;
    for (let above = byId.get(call.parentId); above && !repeated.has(above.id); above = byId.get(above.parentId)) {
      repeated.add(above.id);
    }
  }
  return new Set(calls.filter(({ id, isSum }) => isSum && !repeated.has(id)).map(({ id }) => id));
}
