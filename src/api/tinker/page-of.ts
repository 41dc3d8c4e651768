const pageMax = 1000;

/** The page that a client of the Tinker API asks for. */
export function pageOf({ offset, limit }: { offset: number; limit: number }) {
  return { offset: Math.max(0, offset), limit: Math.max(0, Math.min(limit, pageMax)) };
}
