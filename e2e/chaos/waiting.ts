import { setTimeout as sleep } from 'node:timers/promises';

/** The result of something that must not take longer. */
export async function within<Result>(seconds: number, what: string, work: Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const tooLong = sleep(1000 * seconds, null, { signal: over.signal }).then(() => {
    throw new Error(`${what} takes longer than ${seconds} s`);
  });
  tooLong.catch(() => {});
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    over.abort();
  }
}

/** Waits for a condition. @returns whether it holds */
export async function until(seconds: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const endsAt = performance.now() + 1000 * seconds;
  while (!(await holds())) {
    if (performance.now() > endsAt) return false;
    await sleep(200);
  }
  return true;
}
