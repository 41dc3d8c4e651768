/** Python's `strftime` in the C locale, local time. Unknown directives are left unchanged. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([a-zA-Z%])/g, (whole, dash: string, letter: string) => {
    const written = directives[letter]?.(date);
    if (written === undefined) return whole;
    return dash ? written.replace(/^[0 ]+(?=\d)/, '') : written;
  });
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const pad = (value: number, width = 2) => String(value).padStart(width, '0');
const hour12 = (date: Date) => date.getHours() % 12 || 12;

const directives: Record<string, ((date: Date) => string) | undefined> = {
  Y: (date) => String(date.getFullYear()),
  y: (date) => pad(date.getFullYear() % 100),
  m: (date) => pad(date.getMonth() + 1),
  d: (date) => pad(date.getDate()),
  e: (date) => String(date.getDate()).padStart(2),
  B: (date) => months[date.getMonth()]!,
  b: (date) => months[date.getMonth()]!.slice(0, 3),
  h: (date) => months[date.getMonth()]!.slice(0, 3),
  A: (date) => days[date.getDay()]!,
  a: (date) => days[date.getDay()]!.slice(0, 3),
  w: (date) => String(date.getDay()),
  u: (date) => String(date.getDay() || 7),
  H: (date) => pad(date.getHours()),
  I: (date) => pad(hour12(date)),
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  M: (date) => pad(date.getMinutes()),
  S: (date) => pad(date.getSeconds()),
  f: (date) => pad(date.getMilliseconds() * 1000, 6),
  j: (date) => pad(dayOfYear(date), 3),
  F: (date) => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`,
  T: (date) => `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`,
  D: (date) => `${pad(date.getMonth() + 1)}/${pad(date.getDate())}/${pad(date.getFullYear() % 100)}`,
  R: (date) => `${pad(date.getHours())}:${pad(date.getMinutes())}`,
  n: () => '\n',
  t: () => '\t',
  z: () => '',
  Z: () => '',
  '%': () => '%',
};

function dayOfYear(date: Date): number {
  return (
    Math.round(
      (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 1)) / 86_400_000,
    ) + 1
  );
}
