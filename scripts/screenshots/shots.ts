import type { Page } from 'playwright-core';
import { pages } from '../../e2e/web/pages.ts';
import type { Filled } from './fill-project.ts';

/** A picture of a page, at an address of the server, after an action of the user. */
export type Shot = { name: string; address: string; act?: (page: Page) => Promise<unknown> };

/** Those that belong to no project. */
export function shotsOfServer(): Shot[] {
  return [
    { name: 'projects', address: '/' },
    { name: 'user-settings', address: '/settings' },
    { name: 'server-health', address: '/settings?tab=server' },
    { name: 'authorize', address: '/authorize' },
    { name: 'unknown-page', address: '/ent/p/weave/unknown' },
    { name: 'command-palette', address: '/', act: (page) => page.keyboard.press('ControlOrMeta+k') },
  ];
}

/** Every page of a project without anything in it. */
export function shotsOfEmpty(project: string): Shot[] {
  return [
    ...pages.map(({ name, path }) => ({ name: `${name}-empty`, address: `/${project}/weave/${path}` })),
    { name: 'call-unknown', address: `/${project}/r/call/unknown` },
    { name: 'thread-unknown', address: `/${project}/weave/threads?thread=unknown` },
    { name: 'version-unknown', address: `/${project}/weave/objects/unknown/versions/latest` },
    { name: 'run-unknown', address: `/${project}/weave/evaluations/results?runs=unknown` },
    { name: 'queue-unknown', address: `/${project}/weave/queues/unknown` },
    { name: 'gate-unknown', address: `/${project}/weave/gates/unknown` },
    { name: 'loop-unknown', address: `/${project}/weave/loops/unknown` },
    {
      name: 'loop-new',
      address: `/${project}/weave/loops`,
      act: (page) => page.getByRole('button', { name: 'New loop' }).click(),
    },
  ];
}

/** Every page of a project with something in it, and what opens over them. */
export function shotsOfFull(filled: Filled): Shot[] {
  const { project, failedCall, chatCall, spanCall, comparedCalls, runs, queue, view } = filled;
  const shot = (name: string, path: string, act?: Shot['act']): Shot => ({
    ...{ name: `${name}-full`, address: `/${project}/weave/${path}` },
    ...(act ? { act } : {}),
  });
  const click = (role: 'button' | 'tab' | 'row', name: string | RegExp) => (page: Page) =>
    page.getByRole(role, { name }).first().click();
  const selectAll = (button: RegExp) => async (page: Page) => {
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('button', { name: button }).click();
  };
  return [
    ...pages.map(({ name, path }) => shot(name, path)),
    shot('traces-view', `traces?view=${encodeURIComponent(view)}`),
    shot('traces-views', 'traces', click('button', 'Views')),
    shot('traces-columns', 'traces', click('button', 'Columns')),
    shot('traces-filter', 'traces', (page) => page.getByRole('combobox', { name: 'Filter' }).fill('op_name')),
    shot('traces-no-match', 'traces?q=absent'),
    shot('traces-panel', `traces?call=${failedCall}`),
    shot('traces-train', 'traces?all=1', selectAll(/^Train on/)),
    shot('traces-loop', 'traces', click('button', 'Start a loop')),
    shot('traces-dataset', 'traces', selectAll(/^Add to dataset/)),
    shot('traces-queue', 'traces', selectAll(/^Add to queue/)),
    shot('traces-delete', 'traces', selectAll(/^Delete/)),
    shot('call-failed', `calls/${failedCall}`),
    ...['chat', 'data', 'attributes', 'feedback', 'uses'].map((tab) =>
      shot(`call-${tab}`, `calls/${chatCall}?tab=${tab}`),
    ),
    shot('call-span', `calls/${spanCall}?tab=span`),
    shot('thread', 'threads?thread=conversation-1'),
    shot('compare-calls', `compare?calls=${comparedCalls.join(',')}`),
    shot('results', `evaluations/results?runs=${runs.join(',')}`),
    shot('results-row', `evaluations/results?runs=${runs.join(',')}`, click('row', /What is 3/)),
    shot('dataset', 'objects/additions/versions/latest'),
    shot('dataset-changes', 'objects/additions/versions/latest?tab=changes'),
    shot('dataset-edit', 'objects/additions/versions/latest', click('button', 'Edit rows')),
    shot('prompt', 'objects/support/versions/latest'),
    shot('op', 'ops/closeness/versions/latest'),
    shot('leaderboard', 'leaderboards/adders'),
    shot('queue', `queues/${queue}`),
    shot('queue-results', `queues/${queue}?tab=results`),
    shot('queue-change', `queues/${queue}`, async (page) => {
      await page.getByRole('button', { name: 'Actions of the queue' }).click();
      await page.getByRole('menuitem', { name: 'Change name and questions' }).click();
    }),
    shot('training-rollouts', 'training', (page) =>
      page.getByRole('region', { name: 'Rollouts' }).scrollIntoViewIfNeeded(),
    ),
    shot('training-checkpoints', 'training?tab=checkpoints'),
    shot('playground-prompt', 'playground?prompt=support'),
    shot('playground-call', `playground?call=${chatCall}`),
    shot('settings-new-key', 'settings', click('button', 'Create key')),
    shot('settings-new-price', 'settings?tab=prices', click('button', 'Add price')),
    shot('settings-new-secret', 'settings?tab=providers', click('button', 'Set provider key')),
  ];
}
