/** What not every S3 server can do. */
export type Abilities = {
  /** Deletes many objects with one request. Otherwise each takes one. */
  deletesMany: boolean;
  /** Sends parts of objects. Otherwise they are cut out of whole ones. */
  sendsRanges: boolean;
  /** Refuses to replace an object if it is asked to (`If-None-Match: *`). Otherwise an object can be replaced by another process. */
  keepsExisting: boolean;
};

export const allAbilities: Abilities = { deletesMany: true, sendsRanges: true, keepsExisting: true };

/** For a bucket where nothing can be tried out. */
export const noAbilities: Abilities = { deletesMany: false, sendsRanges: false, keepsExisting: false };
