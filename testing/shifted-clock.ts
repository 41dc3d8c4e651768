/** A flag of Node that shifts the clock of a process. */
export function shiftClock(ms: number): string {
  return `--import=${new URL(`./shifted-clock.mjs?ms=${ms}`, import.meta.url).href}`;
}
