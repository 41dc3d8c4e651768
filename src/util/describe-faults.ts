import type { z } from 'zod';

/** The validation errors of a value, in one line. */
export function describeFaults({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');
}
