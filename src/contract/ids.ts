import { v7 } from 'uuid';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A project as clients write it: `entity/project`. */
export type ProjectName = Branded<'ProjectName'>;
/** A project's internal id: base64 text that never changes and is part of every row. */
export type ProjectId = Branded<'ProjectId'>;
export type UserId = Branded<'UserId'>;

/** A new id: a lower-case UUIDv7, so that ids of one process sort by time. */
export function newId(): string {
  return v7();
}
