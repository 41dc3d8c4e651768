const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** 1,234,567 */
export function formatCount(value: number): string {
  return whole.format(value);
}

/** 999 · 12.3K · 4.56M, for narrow places; show `formatCount` on hover. */
export function formatShort(value: number): string {
  return Math.abs(value) < 1000 ? String(Math.round(value * 100) / 100) : short.format(value);
}

/** $12.30 · $0.0042 · $0.0000031: three significant digits below one dollar. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  if (Math.abs(dollars) >= 1)
    return `$${dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  return `$${dollars.toLocaleString('en', { maximumSignificantDigits: 2, maximumFractionDigits: 10 })}`;
}

/** 0.4 ms · 23 ms · 1.24 s · 2 m 05 s · 3 h 12 m */
export function formatDuration(ms: number): string {
  if (ms < 0) return `−${formatDuration(-ms)}`;
  if (ms < 10) return `${trimmed(ms, 1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${trimmed(ms / 1000, ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} m`;
  return `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

/** 512 B · 1.5 KB · 12 MB, in powers of 1024 */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${trimmed(value, value < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}

/** 0.125 → 12.5 % */
export function formatPercent(share: number): string {
  return `${trimmed(share * 100, 1)} %`;
}

/** A number of a payload, such as a score: at most four significant digits after the point. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return whole.format(value);
  return Math.abs(value) >= 1000 ? whole.format(value) : String(Number(value.toPrecision(4)));
}

function trimmed(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
