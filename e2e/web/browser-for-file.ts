import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Heddle } from '../harness/heddle.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { openBrowser, signIn } from './browser.ts';

type BrowserForFile = {
  readonly server: Heddle;
  readonly browser: Browser;
  /** A new one for each test, signed in as the owner. */
  readonly page: Page;
  /** An empty one for each test. */
  readonly project: string;
  /** Opens an address below that of the project. */
  open(path: string): Promise<unknown>;
  /** A page of another browser context. It is watched as well. */
  openPage(context: BrowserContext): Promise<Page>;
};

/** One server and one browser for the tests of a file. A test fails if a page reports an error or asks another server. */
export function browserForFile(settings?: () => Promise<Record<string, string>>): BrowserForFile {
  const heddle = heddleForFile(settings);
  let browser: Browser;
  let signedIn: BrowserContext;
  let page: Page;
  let project: string;
  let complaints: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser(['--process-per-site', '--renderer-process-limit=1']);
    signedIn = await browser.newContext();
    await signIn(signedIn, heddle.server);
    // It keeps the process of the site, which has compiled the code of the page. Each test would start and compile it again.
    await (await signedIn.newPage()).goto(`${heddle.server.url}/health`);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    project = heddle.server.newProject();
    complaints = [];
    page = await openPage(signedIn);
  });
  afterEach(async () => {
    await page.close();
    expect(complaints).toEqual([]);
  });

  async function openPage(context: BrowserContext): Promise<Page> {
    const opened = await context.newPage();
    opened.on('request', (request) => {
      const isOwn = request.url().startsWith(heddle.server.url) || /^(data|blob):/.test(request.url());
      if (!isOwn) complaints.push(request.url());
    });
    opened.on('pageerror', (error) => complaints.push(error.message));
    return opened;
  }

  return {
    openPage,
    open: (path) => page.goto(`${heddle.server.url}/${project}/weave/${path}`),
    get server() {
      return heddle.server;
    },
    get browser() {
      return browser;
    },
    get page() {
      return page;
    },
    get project() {
      return project;
    },
  };
}
