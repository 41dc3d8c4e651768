import { useEffect } from 'react';

/** The title of the browser's tab while a page is shown. */
export function usePageTitle(...parts: (string | null | undefined)[]): void {
  const title = [...parts, 'heddle'].filter(Boolean).join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
