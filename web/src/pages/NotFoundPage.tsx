import { Link } from '@tanstack/react-router';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { Empty } from '../ui/Status.tsx';

export function NotFoundPage() {
  usePageTitle('Not found');
  return (
    <Empty icon="search" title="There is no page at this address" actions={<Link to="/">Go to the projects</Link>}>
      Check the address, or look for the page in the navigation.
    </Empty>
  );
}
