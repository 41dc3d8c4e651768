/** Access to the bucket itself for clients that reach it, so that the bytes do not pass through this process. */
export type DirectBlobs = {
  /** An address that reads or writes the bytes under one key, without credentials, until it expires. */
  address(method: 'GET' | 'PUT', key: string, validSeconds: number): Promise<string>;
  /**
   * Moves what a client has uploaded to a key that clients cannot write, unless it has been changed meanwhile.
   * @returns whether the bytes have this MD5
   */
  accept(upload: { from: string; to: string; md5: string }): Promise<boolean>;
};
