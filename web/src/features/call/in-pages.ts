/** Distinct ids in pages, each asked for with one request. */
export function inPages(ids: string[], size: number): string[][] {
  const distinct = [...new Set(ids)];
  return Array.from({ length: Math.ceil(distinct.length / size) }, (_, page) =>
    distinct.slice(page * size, (page + 1) * size),
  );
}
