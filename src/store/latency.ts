/** How long a store takes to answer: the median of what was measured in the last minute. */
export type Latency = {
  /** Runs one operation. Failures are not measured: a refused connection fails at once. */
  measure<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  /** Null if nothing was measured in the last minute. */
  seconds(): number | null;
};

const windowMs = 60_000;
/** A busy store answers more often in a minute; the median of the last ones is the same. */
const samplesMax = 128;

export function openLatency(now = () => performance.now()): Latency {
  const samples: { at: number; ms: number }[] = [];
  return {
    async measure(work) {
      const startedAt = now();
      const answer = await work();
      samples.push({ at: now(), ms: now() - startedAt });
      if (samples.length > samplesMax) samples.shift();
      return answer;
    },
    seconds() {
      const recent = samples.filter(({ at }) => at > now() - windowMs).map(({ ms }) => ms);
      const median = recent.sort((a, b) => a - b)[Math.floor(recent.length / 2)];
      return median === undefined ? null : median / 1000;
    },
  };
}
