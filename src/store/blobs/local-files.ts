/** Gives programs that read files a folder with the blobs below a prefix. */
export type LocalFiles = {
  /**
   * Calls `work` with a folder that has the blobs below a prefix, which no longer change. It stays until `work` ends and
   * must not be written to. @throws Failure if the blobs cannot be fetched
   */
  use<Result>(prefix: string, work: (folder: string) => Promise<Result>): Promise<Result>;
};
