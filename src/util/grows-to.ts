/** Options of an `LRUCache` of many entries: with `max` alone, it would take the memory of all of them at once. */
export function growsTo(entriesMax: number) {
  return { maxSize: entriesMax, sizeCalculation: () => 1 };
}
