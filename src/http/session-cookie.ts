import type { FastifyRequest } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { Session } from '../identity/identity.ts';

/**
 * A header that only scripts of our own origin can send: browsers ask the server before they let another origin send
 * it.
 */
export const pageHeader = 'x-heddle-page';

/** The header that stores a session in the browser. */
export function sessionCookie(request: FastifyRequest, { token, expiresAt }: Session): string {
  return `${cookieName(request)}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes(request)}`;
}

/** The header that removes it. */
export function noSessionCookie(request: FastifyRequest): string {
  return `${cookieName(request)}=; Max-Age=0; ${attributes(request)}`;
}

/** The token in the request's cookie; null without one. */
export function sessionToken(request: FastifyRequest): string | null {
  const name = cookieName(request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key === name && value !== '') return value;
  }
  return null;
}

/**
 * Rejects requests that pages of other origins make the browser send with the cookie: `SameSite=Strict` allows those
 * from other ports of the same host. Requests that can change something also need the page's own header.
 * @throws ApiError 403
 */
export function refuseForeignPages(request: FastifyRequest): void {
  refuseOtherOrigins(request);
  if (!isSafe(request) && request.headers[pageHeader] === undefined) throw new ApiError(403, foreignPage);
}

/** The same for requests that need no cookie. @throws ApiError 403 */
export function refuseOtherOrigins(request: FastifyRequest): void {
  if (!isOwnPage(request)) throw new ApiError(403, foreignPage);
}

const foreignPage = 'Sessions are only for the web page of this server. Send an API key.';

function isSafe({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Browsers report the origin of a request in `Sec-Fetch-Site` or, over plain HTTP to another machine, only in `Origin`.
 */
function isOwnPage(request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isSafe(request));
  return origin === undefined || URL.parse(origin)?.host === request.host;
}

/**
 * Browsers send cookies to all ports of a host, so the name contains the port: two servers on one machine do not
 * collide.
 */
function cookieName({ port }: FastifyRequest): string {
  return port === null ? 'heddle-session' : `heddle-session-${port}`;
}

function attributes({ protocol }: FastifyRequest): string {
  return `Path=/; HttpOnly; SameSite=Strict${protocol === 'https' ? '; Secure' : ''}`;
}
