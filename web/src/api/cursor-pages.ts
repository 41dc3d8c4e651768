type CursorPage<Item> = { data: Item[]; has_more: boolean };

/**
 * Reads a list of cursor pages to its end. It starts after the items that are known already, and returns the same array if
 * there are no others.
 */
export async function readToEnd<Item extends { id: string }>(
  known: Item[],
  read: (page: { after: string | null; limit: number }) => Promise<CursorPage<Item>>,
): Promise<Item[]> {
  const added: Item[] = [];
  for (;;) {
    const last = added.at(-1) ?? known.at(-1);
    const page = await read({ after: last?.id ?? null, limit: 100 });
    added.push(...page.data);
    if (!page.has_more || page.data.length === 0) return added.length === 0 ? known : [...known, ...added];
  }
}
