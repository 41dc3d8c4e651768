/** The local time of a time zone at given times: whole seconds since 1970. */
export type ZonedTime = {
  /** The offset from UTC in seconds. */
  offset(seconds: number): number;
  /** The local time in ISO format: `2024-01-01T01:00:00+01:00`. */
  write(seconds: number): string;
};

/** @throws RangeError for an unknown zone. */
export function zonedTime(timeZone: string): ZonedTime {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const isUtc = format.resolvedOptions().timeZone === 'UTC';
  const offsetText = (seconds: number) => (isUtc ? '+00:00' : offsetIn(format.format(seconds * 1000)));
  return {
    offset: (seconds) => secondsOf(offsetText(seconds)),
    write(seconds) {
      const offset = offsetText(seconds);
      const local = new Date((seconds + secondsOf(offset)) * 1000);
      return local.toISOString().slice(0, -5) + offset;
    },
  };
}

/** Parses the end of `12/19/2023, GMT+05:30`; UTC itself is written `GMT`. */
function offsetIn(formatted: string): string {
  return formatted.slice(formatted.indexOf('GMT') + 'GMT'.length) || '+00:00';
}

function secondsOf(offset: string): number {
  const [hours, minutes, seconds = 0] = offset.slice(1).split(':').map(Number) as [number, number, number?];
  return (offset[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}
