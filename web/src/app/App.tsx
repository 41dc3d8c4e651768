import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { ErrorBoundary } from '../components/ErrorBoundary.tsx';
import { useProject } from '../features/use-project.ts';
import { SignInPage } from '../pages/SignInPage.tsx';
import { ErrorMessage, Loading } from '../ui/Status.tsx';
import { Shell } from './Shell.tsx';

/** Every page: the form for the key until somebody is signed in, then the page with its navigation. */
export function App() {
  const { data: session, error, isPending, refetch } = useQuery(sessionQuery);
  const { pathname } = useLocation();
  const project = useProject();
  if (isPending) return <Loading label="Signing in" />;
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (session === null) return <SignInPage />;
  return (
    <Shell session={session}>
      {/* A page starts anew in another project: nothing that was selected or shown in this one stays. */}
      <ErrorBoundary key={project.id} resetKey={pathname}>
        <Outlet />
      </ErrorBoundary>
    </Shell>
  );
}
