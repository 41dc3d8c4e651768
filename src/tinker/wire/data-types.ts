/** The numbers of data types on the wire. */
export const dataTypes = { float32: 1, int64: 2, int32: 3 } as const;
