/** A time for people, such as `1.2 ms`, `85 ms` and `3.4 s`. */
export function humanMs(ms: number): string {
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
