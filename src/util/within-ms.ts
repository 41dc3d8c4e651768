/** The result, or what `late` returns or throws if there is no result in time. The work itself is not stopped. */
export async function withinMs<Result, Late>(
  timeMs: number,
  work: Promise<Result>,
  late: () => Late,
): Promise<Result | Late> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeMs);
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
