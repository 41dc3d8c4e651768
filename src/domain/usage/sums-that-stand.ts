/**
 * The fields of a call that matter here: whether it has its own tokens, and whether it reports the sum of others'
 * tokens: of the calls below it, or as a record of those beside it.
 */
export type SummingCall = { id: string; parentId: string; isCounted: boolean; isSum: boolean; isRecord?: boolean };

/**
 * The calls whose sums are counted: no call that they sum up reports tokens, so they are counted nowhere else. Of nested
 * sums, the innermost is counted.
 */
export function sumsThatStand(calls: SummingCall[]): Set<string> {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const countedBelow = new Set<string>();
  const markAbove = ({ parentId }: SummingCall) => {
    for (let id = parentId; id !== '' && !countedBelow.has(id); id = byId.get(id)?.parentId ?? '') countedBelow.add(id);
  };
  const isRecord = (call: SummingCall) => call.isSum && call.isRecord === true;
  for (const call of calls) if (call.isCounted || (call.isSum && !isRecord(call))) markAbove(call);
  const records = calls.filter((call) => isRecord(call) && !countedBelow.has(call.parentId));
  for (const record of records) markAbove(record);
  const sums = calls.filter((call) => call.isSum && !isRecord(call) && !countedBelow.has(call.id));
  return new Set([...sums, ...records].map(({ id }) => id));
}
