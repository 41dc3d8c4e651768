import { Button } from '../ui/Button.tsx';

type NextPages = { isFetchNextPageError: boolean; error: Error | null; fetchNextPage: () => unknown };

/** The end of a list of which the next page could not be loaded; nothing otherwise. */
export function NextPageError({ query: { isFetchNextPageError, error, fetchNextPage } }: { query: NextPages }) {
  if (!isFetchNextPageError) return null;
  return (
    <span role="alert">
      {error?.message}{' '}
      <Button kind="quiet" icon="refresh" onClick={() => void fetchNextPage()}>
        Try again
      </Button>
    </span>
  );
}
