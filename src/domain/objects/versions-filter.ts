/** Selects versions of objects. What is missing or null selects all, and so does an empty list. */
export type VersionsFilter = {
  kind?: 'object' | 'op' | null;
  objectIds?: string[] | null;
  baseClasses?: string[] | null;
  excludedBaseClasses?: string[] | null;
  leafClasses?: string[] | null;
  tags?: string[] | null;
  aliases?: string[] | null;
  isLatest?: boolean | null;
};
