/** How long this process may use what was agreed. */
export type Lease = {
  /** Call it before the renewal is asked for: the lease counts from here. */
  begin(): { end(leaseMs: number | null): void };
  isValid(): boolean;
};

/** Two clocks, of which the faster one counts: one may stand still while the machine sleeps, and the other can be set. */
const readClocks = () => ({ steady: performance.now(), wall: Date.now() });

/** @param onEnd called when the lease ends without a renewal */
export function openLease(onEnd: () => void): Lease {
  let from = readClocks();
  let msMax = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const isValid = () => {
    const now = readClocks();
    return Math.max(now.steady - from.steady, now.wall - from.wall) < msMax;
  };
  return {
    begin() {
      const begun = readClocks();
      return {
        end(leaseMs) {
          from = begun;
          msMax = leaseMs ?? Number.POSITIVE_INFINITY;
          clearTimeout(timer);
          if (leaseMs !== null) timer = setTimeout(onEnd, leaseMs - (performance.now() - begun.steady)).unref();
        },
      };
    },
    isValid,
  };
}
