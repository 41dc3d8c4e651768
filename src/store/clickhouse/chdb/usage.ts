/** How much each group has used lately: what it used counts half after each half-life. */
export type Usage = { add(group: string, ms: number): void; of(group: string): number };

const halfLifeMs = 10_000;
/** Groups that used less than this count as if they had used nothing, and are forgotten. */
const forgottenMs = 1;
const forgetEvery = 1000;

export function openUsage(now: () => number = () => performance.now()): Usage {
  const groups = new Map<string, { ms: number; at: number }>();
  let added = 0;

  function of(group: string): number {
    const used = groups.get(group);
    return used ? used.ms * 0.5 ** ((now() - used.at) / halfLifeMs) : 0;
  }

  return {
    of,
    add(group, ms) {
      groups.set(group, { ms: of(group) + ms, at: now() });
      if (++added % forgetEvery !== 0) return;
      for (const each of groups.keys()) if (of(each) < forgottenMs) groups.delete(each);
    },
  };
}
