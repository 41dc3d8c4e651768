/** Runs work with the same key one after another. */
export type OneAtATime = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function openOneAtATime(): OneAtATime {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    const settled = result
      .catch(() => {})
      .then(() => {
        if (last.get(key) === settled) last.delete(key);
      });
    last.set(key, settled);
    return result;
  };
}
