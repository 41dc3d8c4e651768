/**
 * The object id of a versioned resource: its name in lower case, with `_` for spaces and slashes, and without
 * characters other than letters, digits, `_`, `.` and `-`. It may be empty.
 */
export function objectIdOf(name: string): string {
  return name
    .replace(/[ /]/g, '_')
    .replace(/[^\p{L}\p{N}_.-]/gu, '')
    .toLowerCase();
}
