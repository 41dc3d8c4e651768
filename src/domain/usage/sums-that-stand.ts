/**
 * The fields of a call that matter here: whether it has its own tokens, and whether it reports the sum of others'
 * tokens.
 */
export type SummingCall = { id: string; parentId: string; isCounted: boolean; isSum: boolean };

/**
 * The calls whose sums are counted: no call below them reports tokens, so they are counted nowhere else. Of nested
 * sums, the innermost is counted.
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
