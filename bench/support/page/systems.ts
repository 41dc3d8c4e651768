import type { BrowserContext } from 'playwright-core';
import { benchProject } from '../heddle.ts';
import { heddle } from '../peers/heddle.ts';
import { mlflow } from '../peers/mlflow.ts';
import type { Peer } from '../peers/peer.ts';
import { phoenix } from '../peers/phoenix.ts';
import type { Server } from '../peers/server.ts';
import type { MeasuredPage } from './measure.ts';

type LongTrace = { traceId: string; rootId: string };

/** A system with pages to look at traces. */
export type PageSystem = {
  peer: Peer;
  signIn(context: BrowserContext, server: Server): Promise<void>;
  list(server: Server): MeasuredPage;
  trace(server: Server, trace: LongTrace): MeasuredPage;
};

export const systems: Record<string, PageSystem> = {
  heddle: {
    peer: heddle,
    signIn: async (context, { address }) => {
      const data = { api_key: heddle.headers.authorization!.replace('Bearer ', '') };
      const answer = await context.request.post(`${address}/session`, { data, headers: { 'x-heddle-page': '1' } });
      if (!answer.ok()) throw new Error(`the sign-in was answered with ${answer.status()}`);
    },
    list: ({ address }) => ({
      address: `${address}/${benchProject}/weave/traces`,
      rows: (page) => page.getByRole('table', { name: 'Traces' }).getByRole('row'),
      answer: (page) => page.getByRole('tree', { name: 'Calls of the trace' }).getByRole('treeitem'),
    }),
    trace: ({ address }, { rootId }) => ({
      address: `${address}/${benchProject}/r/call/${rootId}`,
      rows: (page) => page.getByRole('tree', { name: 'Calls of the trace' }).getByRole('treeitem'),
      answer: (page) => page.getByRole('heading', { name: /^chat/, level: 2 }),
    }),
  },
  phoenix: {
    peer: phoenix,
    signIn: async () => {},
    list: ({ address }) => ({
      address: `${address}/projects/${phoenixProject}/traces`,
      rows: (page) => page.getByRole('link', { name: 'answer a question' }),
      answer: (page) => page.getByRole('dialog').getByText('chat step').first(),
    }),
    trace: ({ address }, { traceId }) => ({
      address: `${address}/projects/${phoenixProject}/traces/${traceId}`,
      rows: (page) => page.getByRole('dialog').getByText('chat step'),
    }),
  },
  mlflow: {
    peer: mlflow,
    signIn: async (context) => {
      // It covers its list with advice to new users, until they have closed it.
      await context.addInitScript(closeAdvice);
    },
    list: ({ address }) => ({
      address: `${address}/#/experiments/0/traces`,
      rows: (page) => page.getByRole('row'),
    }),
    trace: ({ address }, { traceId }) => ({
      address: `${address}/#/experiments/0/traces?selectedEvaluationId=tr-${traceId}`,
      rows: (page) => page.getByRole('dialog').getByText('chat step'),
    }),
  },
};

/** The id of the project `default`, the first one. */
const phoenixProject = Buffer.from('Project:1').toString('base64').replaceAll('=', '');

/** Runs in the page. */
function closeAdvice(): void {
  new MutationObserver(() => {
    for (const button of document.querySelectorAll('button')) if (button.textContent === 'Got it') button.click();
  }).observe(document, { childList: true, subtree: true });
}
