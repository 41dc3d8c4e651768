/** What a run evaluates: the refs of its objects, and the table of its rows. */
export type RunObjects = {
  dataset: string;
  /** The digest of the table of the dataset. */
  table: string;
  /** The number of rows. */
  total: number;
  evaluation: string;
  model: string;
  /** In the order of the criteria. */
  scorers: string[];
};
