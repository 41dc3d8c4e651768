const mebibyte = 1024 ** 2;

/** Larger blobs are uploaded in parts of at least this size. */
export const partBytesMin = 16 * mebibyte;

/** The most parts that an object can have. */
const partsMax = 10_000;

/** What the parts of one upload may take in memory, unless one part takes more. */
const bytesInFlightMax = 64 * mebibyte;

/**
 * How an upload is divided: parts of equal size, which some servers demand, so that all of them fit. Without a size,
 * an upload can have 156 GiB.
 */
export function partSizes(sizeBytes = 0): { partBytes: number; partsInFlight: number } {
  const needed = Math.ceil(sizeBytes / partsMax / mebibyte) * mebibyte;
  const partBytes = Math.max(partBytesMin, needed);
  return { partBytes, partsInFlight: 2 * partBytes <= bytesInFlightMax ? 2 : 1 };
}
