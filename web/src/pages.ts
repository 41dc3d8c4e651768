import type { ComponentType } from 'react';
import type { IconName } from './ui/Icon.tsx';

export type PageEntry = {
  /** Below `/{entity}/{project}/weave/`; parameters begin with `$`. */
  path: string;
  title: string;
  /** Entries with an icon are listed in the navigation and in the command palette. */
  icon?: IconName;
  /** `g` and this letter opens it. */
  letter?: string;
  load: () => Promise<{ Page: ComponentType }>;
};

/** The pages of a project, in the order of the navigation. To add one, write a file in `pages/` that exports `Page`. */
export const projectPages: PageEntry[] = [
  { path: 'traces', title: 'Traces', icon: 'traces', letter: 't', load: () => import('./pages/traces/TracesPage.tsx') },
  { path: 'calls/$callId', title: 'Call', load: () => import('./pages/call/CallPage.tsx') },
  {
    path: 'evaluations',
    title: 'Evaluations',
    icon: 'bars',
    letter: 'e',
    load: () => import('./pages/evaluations/EvaluationsPage.tsx'),
  },
  {
    path: 'evaluations/results',
    title: 'Evaluation results',
    load: () => import('./pages/evaluation-results/ResultsPage.tsx'),
  },
  {
    path: 'objects',
    title: 'Datasets and objects',
    icon: 'cube',
    letter: 'o',
    load: () => import('./pages/objects/ObjectsPage.tsx'),
  },
  ...['objects/$name', 'objects/$name/versions/$digest', 'ops/$name/versions/$digest', 'leaderboards/$name'].map(
    (path): PageEntry => ({ path, title: 'Version', load: () => import('./pages/version/VersionPage.tsx') }),
  ),
  {
    ...{ path: 'training', title: 'Training', icon: 'training', letter: 'm' },
    load: () => import('./pages/training/TrainingPage.tsx'),
  },
  {
    ...{ path: 'playground', title: 'Playground', icon: 'chat', letter: 'p' },
    load: () => import('./pages/playground/PlaygroundPage.tsx'),
  },
];
