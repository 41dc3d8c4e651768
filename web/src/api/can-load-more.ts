type NextPages = { hasNextPage: boolean; isFetching: boolean; isFetchNextPageError: boolean };

/** Whether to ask for the next page of a list. After an error only the user does: a list at its end would ask without pause. */
export function canLoadMore({ hasNextPage, isFetching, isFetchNextPageError }: NextPages): boolean {
  return hasNextPage && !isFetching && !isFetchNextPageError;
}
