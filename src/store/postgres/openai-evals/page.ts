/** Which rows are listed: those after one of them, in an order by time and then by id. */
export type Page = { after: string | null; limit: number; order: 'asc' | 'desc' };
