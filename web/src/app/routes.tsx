import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { Defect } from '../components/ErrorBoundary.tsx';
import { parseSearch, stringifySearch } from '../hooks/use-search-state.ts';
import { NotFoundPage } from '../pages/NotFoundPage.tsx';
import { callUrl, projectUrl, runUrl, sweepUrl } from '../urls.ts';
import { App } from './App.tsx';
import { projectPages } from './pages.ts';

const root = createRootRoute({ component: App, notFoundComponent: NotFoundPage });

const projects = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/projects/ProjectsPage.tsx'), 'Page'),
});

/** Where a sign-in link leads. Without a session, every other address shows the form for the key. */
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', beforeLoad: () => redirectTo('/') });

/** Where the SDKs send users for their key. */
const authorize = createRoute({
  getParentRoute: () => root,
  path: '/authorize',
  component: lazyRouteComponent(() => import('../pages/AuthorizePage.tsx'), 'Page'),
});

/** Without a project, the settings of the user and the server. */
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings/SettingsPage.tsx'), 'Page'),
});

const project = createRoute({ getParentRoute: () => root, path: '/$entity/$project' });

/** The addresses that the SDKs print for a project, a call, a run and a sweep. */
const projectRoot = createRoute({
  getParentRoute: () => project,
  path: '/',
  beforeLoad: ({ params }) => redirectTo(projectUrl(params)),
});
const projectHome = createRoute({
  getParentRoute: () => project,
  path: '/weave',
  beforeLoad: ({ params }) => redirectTo(projectUrl(params)),
});
const printedCall = createRoute({
  getParentRoute: () => project,
  path: '/r/call/$callId',
  beforeLoad: ({ params }) => redirectTo(callUrl(params, params.callId)),
});
const printedRun = createRoute({
  getParentRoute: () => project,
  path: '/runs/$runId',
  beforeLoad: ({ params }) => redirectTo(runUrl(params, params.runId)),
});
const printedSweep = createRoute({
  getParentRoute: () => project,
  path: '/sweeps/$sweepId',
  beforeLoad: ({ params }) => redirectTo(sweepUrl(params, params.sweepId)),
});

const pages = projectPages.map(({ path, load }) =>
  createRoute({ getParentRoute: () => project, path: `/weave/${path}`, component: lazyRouteComponent(load, 'Page') }),
);

export const router = createRouter({
  routeTree: root.addChildren([
    projects,
    signIn,
    authorize,
    settings,
    project.addChildren([projectRoot, projectHome, printedCall, printedRun, printedSweep, ...pages]),
  ]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error }) => <Defect error={error} />,
  defaultNotFoundComponent: NotFoundPage,
});

function redirectTo(href: string): never {
  throw redirect({ to: href, replace: true });
}
