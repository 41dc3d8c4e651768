import { describe, expect, test } from 'vitest';
import { runWandb } from '../harness/clients.ts';
import { artEnvironment } from '../training/environment.ts';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null || !artEnvironment.isReady())('the pages of runs', () => {
  const web = browserForFile();

  test('show at the address that the client prints what a run has logged', async () => {
    const { page, server, project } = web;
    expect(await runWandb(server, 'media.py', { args: [project] })).toEqual({
      spread: 'histogram',
      picture: 'image-file',
      pictures: 'images/separated',
      dot: 'video-file',
      tone: 'audio-file',
      note: 'html-file',
      atom: 'molecule-file',
      answers: 'table-file',
    });

    await page.goto(`${server.url}/${project}/runs/media`);
    await page.getByRole('heading', { name: 'pictures' }).waitFor();
    await page.getByText('Why', { exact: true }).waitFor();
    await page.getByText('last · 0.25').waitFor();
    await page.getByText('nested.score').waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Media' }).click();
    const card = (name: string) => page.getByRole('region', { name, exact: true });
    const widthOf = (name: string, alt: string | RegExp) => () =>
      card(name)
        .getByRole('img', { name: alt })
        .first()
        .evaluate((image: HTMLImageElement) => image.naturalWidth);
    await expect.poll(widthOf('picture', 'width 5')).toBe(5);
    await expect.poll(widthOf('pictures', 'width 2')).toBe(2);
    await expect.poll(widthOf('dot', 'dot 2')).toBe(1);
    await expect.poll(widthOf('answers', /media.images/)).toBe(8);
    await card('picture').getByLabel('Step of picture').selectOption('0');
    await expect.poll(widthOf('picture', 'width 3')).toBe(3);
    await expect
      .poll(() =>
        card('tone')
          .locator('audio')
          .evaluate((sound: HTMLAudioElement) => sound.duration),
      )
      .toBe(1);
    await card('spread').getByRole('img', { name: '0 to 3, 6 values' }).waitFor();
    await card('note')
      .getByRole('link', { name: /^HTML: note/ })
      .waitFor();
    await card('atom')
      .getByRole('link', { name: /^Molecule: / })
      .waitFor();
    await card('answers').getByRole('cell', { name: 'What?' }).waitFor();
    await card('answers').getByRole('cell', { name: '3', exact: true }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Settings and summary' }).click();
    await page.getByText('0.1').waitFor();
    await page.getByRole('tab', { name: 'Output' }).click();
    await page.getByText('training begins').waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('link', { name: 'config.yaml' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.goto(`${server.url}/${project}/sweeps/none`);
    await page.getByText('No runs yet').waitFor();
    await page.getByRole('button', { name: 'Show all runs' }).click();
    await page.getByText('pictures').click();
    await page.getByRole('tab', { name: 'Metrics' }).waitFor();
    expect(page.url()).toBe(`${server.url}/${project}/weave/runs/media`);
    await page.goto(`${server.url}/${project}/runs/nope`);
    await page.getByText('There is no run nope').waitFor();
  });
});
