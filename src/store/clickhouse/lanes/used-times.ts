/** The CPU time of each running read in milliseconds, by its name. Concurrent callers share one statement. */
export function openUsedTimes(read: () => Promise<{ name: string; ms: number }[]>): (name: string) => Promise<number> {
  let asked: Promise<Map<string, number>> | null = null;
  function ask(): Promise<Map<string, number>> {
    if (asked) return asked;
    asked = read().then(
      (rows) => new Map(rows.map(({ name, ms }) => [name, ms])),
      () => new Map(),
    );
    setTimeout(() => {
      asked = null;
    }, 50).unref();
    return asked;
  }
  return async (name) => (await ask()).get(name) ?? 0;
}
