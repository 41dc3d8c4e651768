/** One JSON line for each item of a stream of pages. */
export async function* linesOf<Item>(
  pages: AsyncIterable<Item[]>,
  toLine: (item: Item) => string | Promise<string>,
): AsyncGenerator<string> {
  for await (const page of pages) for (const item of page) yield `${await toLine(item)}\n`;
}
