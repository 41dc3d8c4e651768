import { createHash } from 'node:crypto';

/** Headers of the document: it may load and run only what this server sends, and other pages may not embed it. */
export function pageHeaders(html: string): Record<string, string> {
  const scripts = ["'self'", ...inlineScriptHashes(html)].join(' ');
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-cache', // assets have hashes in their names, so only this document must be current
    ...commonHeaders,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** Headers of the document and of everything it loads. */
export const commonHeaders = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };

function inlineScriptHashes(html: string): string[] {
  const scripts = html.matchAll(/<script>([\s\S]*?)<\/script>/g);
  return [...scripts].map(([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`);
}
