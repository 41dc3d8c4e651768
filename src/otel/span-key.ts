/** A span is identified by its trace and its own id: other traces may contain the same id. */
export function spanKey({ traceId, id }: { traceId: string; id: string }): string {
  return `${traceId}/${id}`;
}
