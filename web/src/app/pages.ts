import type { ComponentType } from 'react';
import type { IconName } from '../ui/Icon.tsx';

export type PageEntry = {
  /** Below `/{entity}/{project}/weave/`; parameters begin with `$`. */
  path: string;
  title: string;
  /** Entries with an icon are listed in the navigation and in the command palette. */
  icon?: IconName;
  /** The path of the entry that the navigation marks while this page is open, if its own path is not below it. */
  within?: string;
  /** `g` and this letter opens it. */
  letter?: string;
  load: () => Promise<{ Page: ComponentType }>;
};

/** The pages of a project, in the order of the navigation. To add one, write a file in `pages/` that exports `Page`. */
export const projectPages: PageEntry[] = [
  {
    path: 'traces',
    title: 'Traces',
    icon: 'traces',
    letter: 't',
    load: () => import('../pages/traces/TracesPage.tsx'),
  },
  {
    path: 'threads',
    title: 'Threads',
    icon: 'threads',
    letter: 'h',
    load: () => import('../pages/threads/ThreadsPage.tsx'),
  },
  {
    ...{ path: 'compare', title: 'Compare calls', within: 'traces' },
    load: () => import('../pages/compare/ComparePage.tsx'),
  },
  {
    ...{ path: 'calls/$callId', title: 'Call', within: 'traces' },
    load: () => import('../pages/call/CallPage.tsx'),
  },
  {
    path: 'evaluations',
    title: 'Evaluations',
    icon: 'bars',
    letter: 'e',
    load: () => import('../pages/evaluations/EvaluationsPage.tsx'),
  },
  {
    path: 'evaluations/results',
    title: 'Evaluation results',
    load: () => import('../pages/evaluation-results/ResultsPage.tsx'),
  },
  {
    path: 'gates',
    title: 'Gates',
    icon: 'gate',
    letter: 'c',
    load: () => import('../pages/gates/GatesPage.tsx'),
  },
  { path: 'gates/$gateId', title: 'Gate', load: () => import('../pages/gate/GatePage.tsx') },
  {
    path: 'objects',
    title: 'Datasets and objects',
    icon: 'cube',
    letter: 'o',
    load: () => import('../pages/objects/ObjectsPage.tsx'),
  },
  ...['objects/$name', 'objects/$name/versions/$digest', 'ops/$name/versions/$digest', 'leaderboards/$name'].map(
    (path): PageEntry => ({
      ...{ path, title: 'Version', within: 'objects' },
      load: () => import('../pages/version/VersionPage.tsx'),
    }),
  ),
  {
    path: 'dashboard',
    title: 'Dashboard',
    icon: 'grid',
    letter: 'd',
    load: () => import('../pages/dashboard/DashboardPage.tsx'),
  },
  {
    path: 'queues',
    title: 'Annotation queues',
    icon: 'queue',
    letter: 'q',
    load: () => import('../pages/queues/QueuesPage.tsx'),
  },
  { path: 'queues/$queueId', title: 'Queue', load: () => import('../pages/queue/QueuePage.tsx') },
  { path: 'runs', title: 'Runs', icon: 'list', letter: 'r', load: () => import('../pages/runs/RunsPage.tsx') },
  { path: 'runs/$runId', title: 'Run', load: () => import('../pages/run/RunPage.tsx') },
  {
    ...{ path: 'training', title: 'Training', icon: 'training', letter: 'm' },
    load: () => import('../pages/training/TrainingPage.tsx'),
  },
  {
    ...{ path: 'policies', title: 'Policies', icon: 'flask', letter: 'l' },
    load: () => import('../pages/policies/PoliciesPage.tsx'),
  },
  {
    ...{ path: 'loops', title: 'Loops', icon: 'loop', letter: 'i' },
    load: () => import('../pages/loops/LoopsPage.tsx'),
  },
  { path: 'loops/$name', title: 'Loop', load: () => import('../pages/loop/LoopPage.tsx') },
  {
    ...{ path: 'playground', title: 'Playground', icon: 'chat', letter: 'p' },
    load: () => import('../pages/playground/PlaygroundPage.tsx'),
  },
  {
    ...{ path: 'settings', title: 'Settings', icon: 'gear', letter: 's' },
    load: () => import('../pages/settings/SettingsPage.tsx'),
  },
];
