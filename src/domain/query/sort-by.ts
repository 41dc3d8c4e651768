/** One key of an order: a field as clients name it. Earlier keys come first. */
export type SortBy = { field: string; direction: 'asc' | 'desc' };
