/** Clients configured only with a base URL put `/traces` before every tracing path. */
export function withoutPrefix(url: string): string {
  return url.startsWith('/traces/') ? url.slice('/traces'.length) : url;
}
