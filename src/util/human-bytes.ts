const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A number of bytes in readable form: `3.2 MB`. */
export function humanBytes(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
