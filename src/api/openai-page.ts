/** How many items to read for a page: one more than it holds says whether there are more. */
export function limitWithNext(limit: number): number {
  return limit + 1;
}

/** A page of OpenAI's cursor kind, of items that were read with {@link limitWithNext}. */
export function openAiPage<Item extends { id: string }>(items: Item[], limit: number) {
  const data = items.slice(0, limit);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > limit,
  };
}
