import { Link } from '@tanstack/react-router';
import { useProject } from '../features/use-project.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { Empty } from '../ui/Status.tsx';
import { projectUrl } from '../urls.ts';

export function NotFoundPage() {
  usePageTitle('Not found');
  const project = useProject();
  return (
    <Empty
      icon="search"
      title="There is no page at this address"
      actions={
        <>
          {project.project !== '' && <Link to={projectUrl(project)}>Go to the traces of {project.id}</Link>}
          <Link to="/">Go to the projects</Link>
        </>
      }
    >
      Check the address, or look for the page in the navigation.
    </Empty>
  );
}
