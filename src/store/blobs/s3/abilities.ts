/** What not every S3 server can do. */
export type Abilities = {
  /** Deletes many objects with one request. Otherwise each takes one. */
  deletesMany: boolean;
  /** Sends parts of objects. Otherwise they are cut out of whole ones. */
  sendsRanges: boolean;
};

export const allAbilities: Abilities = { deletesMany: true, sendsRanges: true };
