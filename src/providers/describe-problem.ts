import { errorText } from '../util/error-text.ts';

type Problem = {
  host: string;
  status: number;
  text: string;
  location: string | string[] | undefined;
  secrets: string[];
};

/** The error message of a provider, without any secrets that it repeats. */
export function describeProblem({ host, status, text, location, secrets }: Problem): string {
  if (status >= 300 && status < 400) {
    return `${host} answered ${status}, a redirect to ${String(location ?? 'nowhere').slice(0, 200)}. Use that address instead.`;
  }
  const message = errorText(text, secrets);
  return `${host} answered ${status}${message === '' ? '' : `: ${message}`}`;
}

const transientStatuses = new Set([408, 429, 500, 502, 503, 504, 520, 522, 524, 529]);

export function isTransientStatus(status: number): boolean {
  return transientStatuses.has(status);
}

const transientCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

export function isTransientCode(code: string): boolean {
  return transientCodes.has(code);
}

/** The delay that a provider requests, in seconds, as a date, or in milliseconds. Null if it requests none. */
export function requestedWaitMs(
  headers: Record<string, string | string[] | undefined>,
  now = Date.now(),
): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const after = headers['retry-after'];
  if (typeof after !== 'string') return null;
  const waitMs = /^\d+(\.\d+)?$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}
