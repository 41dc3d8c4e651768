/**
 * Limit on the values in one object or row: a digest is computed from all of them in memory, at about a hundred bytes
 * each.
 */
export const publishedValuesMax = 4_000_000;
