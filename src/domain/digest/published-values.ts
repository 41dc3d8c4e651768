/** Values in one object or row: a digest is computed from all of them in memory, where each takes a hundred bytes. */
export const publishedValuesMax = 4_000_000;
