import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compareTable, resultTable } from './eval-tables.ts';
import { evaluationProgress } from './evaluation-progress.ts';
import { isRowsFile, readRows } from './read-rows.ts';
import { missedThresholds, toThreshold } from './thresholds.ts';

const estimate = (mean: number, reach: number | null, count = 50) => ({
  count,
  mean,
  standardError: reach === null ? null : reach / 2,
  interval95: reach === null ? null : ([mean - reach, mean + reach] as [number, number]),
});

const score = (
  scorerKey: string,
  valueType: 'binary' | 'continuous' | 'text',
  mean: number | null,
  more: object = {},
) => ({
  ...{ scorerKey, path: null, valueType, trialCount: 50, failedCount: 0, numericCount: 0, numericMean: null },
  ...{ passTrueCount: 0, passKnownCount: 0, passRate: null, passSignalCoverage: 0, difference: null },
  estimate: mean === null ? null : estimate(mean, 0.1),
  ...more,
});

type Cost = { dollars: number | null; isAtLeast: boolean; isEstimate: boolean; unpricedTokens: Record<string, number> };
const none = { count: 0, error: null as string | null };
const result = (callId: string, scorers: ReturnType<typeof score>[], more: object = {}) => ({
  callId,
  ...{ name: 'a run', model: 'weave:///e/p/object/tiny:abc', trialCount: 50, tokens: 1200, cost: null as Cost | null },
  scorers,
  failures: { predictions: none, scores: none },
  ...more,
});

describe('the table of an evaluation', () => {
  test('shows rates in percent, numbers unchanged, and no value for strings', () => {
    const scorers = [
      score('exact', 'binary', 0.625),
      score('similar', 'continuous', 0.71234),
      score('judge', 'text', null),
    ];
    expect(resultTable(result('id-1', scorers), { model_latency: { mean: 0.51239 } }).split('\n')).toEqual([
      'SCORE    VALUE   95 % INTERVAL     ANSWERS',
      'exact    62.5 %  52.5 % to 72.5 %  50 of 50',
      'similar  0.7123  0.6123 to 0.8123  50 of 50',
      'judge    text                      50 of 50',
      '',
      '50 answers, 0.51 s each, 1200 tokens',
      'Evaluation id-1 (a run)',
      '',
    ]);
  });

  test.each<[Cost, string]>([
    [{ dollars: 0.25, isAtLeast: false, isEstimate: false, unpricedTokens: {} }, '0.25 USD'],
    [{ dollars: 0.25, isAtLeast: true, isEstimate: true, unpricedTokens: {} }, 'about 0.25 USD'],
    [{ dollars: 0.25, isAtLeast: true, isEstimate: false, unpricedTokens: {} }, 'at least 0.25 USD'],
    [
      { dollars: 0.25, isAtLeast: true, isEstimate: false, unpricedTokens: { ours: 40 } },
      'at least 0.25 USD (no price for ours)',
    ],
    [
      { dollars: null, isAtLeast: true, isEstimate: false, unpricedTokens: { ours: 40, theirs: 2 } },
      'no price for ours, theirs',
    ],
  ])('shows the cost %j as "%s"', (cost, text) => {
    expect(resultTable(result('id-1', [], { cost }), null)).toContain(`50 answers, 1200 tokens, ${text}\n`);
  });

  test('reports failures, and scorers without scores', () => {
    const failures = { predictions: { count: 2, error: 'too long' }, scores: { count: 48, error: 'no column' } };
    const text = resultTable(result('id-1', [], { failures }), { exact: null, model_latency: { mean: 1 } });
    expect(text).toMatch(/^exact +failed +0 of 50$/m);
    expect(text).toContain('2 answers failed: too long\n48 scores failed: no column\n');
  });
});

test('a comparison shows the difference on common rows and whether it is significant', () => {
  const a = result('id-a', [
    score('up', 'binary', 0.5),
    score('down', 'continuous', 2),
    score('same', 'continuous', 1),
  ]);
  const differing = (mean: number, reach: number | null) => ({
    difference: { ...estimate(mean, reach, 40), baselineId: 'id-a' },
  });
  const b = result('id-b', [
    score('up', 'binary', 0.7, differing(0.2, 0.1)),
    score('down', 'continuous', 1, differing(-1, 0.5)),
    score('same', 'continuous', 1, differing(0, 0.5)),
    score('new', 'binary', 1),
  ]);
  b.cost = { dollars: 0.25, isAtLeast: true, isEstimate: false, unpricedTokens: { ours: 40 } };
  b.failures = { predictions: { count: 3, error: 'too long' }, scores: none };
  const lines = compareTable(a, b).split('\n');
  expect(lines[1]).toMatch(/^up +50\.0 % +70\.0 % +\+20\.0 % +\+10\.0 % to \+30\.0 % +40 +B is higher$/);
  expect(lines[2]).toMatch(/^down +2 +1 +-1 +-1\.5 to -0\.5 +40 +B is lower$/);
  expect(lines[3]).toMatch(/^same +1 +1 +0 +-0\.5 to \+0\.5 +40 +no clear difference$/);
  expect(lines[4]).toMatch(/^new +100\.0 % +only in B$/);
  expect(lines.slice(6)).toEqual([
    'A  id-a  a run',
    '   50 answers of tiny, 1200 tokens',
    'B  id-b  a run',
    '   50 answers of tiny, 1200 tokens, at least 0.25 USD (no price for ours)',
    '   3 answers failed: too long',
    '',
  ]);
});

describe('thresholds', () => {
  const strict = { allowMissing: false };
  const scorers = [score('exact', 'binary', 0.5), score('judge', 'continuous', 3, { path: 'helpful' })];

  test.each(['exact=0.5', 'judge.helpful=2.9', 'exact=-1'])('%s is reached', (text) => {
    expect(missedThresholds([toThreshold(text)!], result('id', scorers), strict)).toEqual([]);
  });

  test.each([
    ['exact=0.51', 'exact is 0.5, below the threshold 0.51.'],
    ['judge=1', 'There is no score judge for the threshold 1. Scores: exact, judge.helpful.'],
  ])('%s is not reached', (text, line) => {
    expect(missedThresholds([toThreshold(text)!], result('id', scorers), strict)).toEqual([line]);
  });

  test('no threshold of a score that some answers lack is reached, unless that is allowed', () => {
    const lacking = result('id', [score('exact', 'binary', 0.1, { trialCount: 5, failedCount: 45 })]);
    const line = '45 of 50 answers have no exact. To accept that, pass --allow-missing.';
    expect(missedThresholds([toThreshold('exact=0.05')!], lacking, strict)).toEqual([line]);
    expect(missedThresholds([toThreshold('exact=0.05')!], lacking, { allowMissing: true })).toEqual([]);
    const below = 'exact is 0.1, below the threshold 0.9.';
    expect(missedThresholds([toThreshold('exact=0.9')!], lacking, strict)).toEqual([below, line]);
    expect(missedThresholds([toThreshold('exact=0.9')!], lacking, { allowMissing: true })).toEqual([below]);
  });

  test.each(['exact', 'exact=', 'exact=much', '=1'])('rejects the threshold %s', (text) => {
    expect(toThreshold(text)).toBeNull();
  });
});

describe('the progress of an evaluation', () => {
  const shown = (isTTY: boolean, ...steps: (number | null)[]) => {
    const out: string[] = [];
    const line = evaluationProgress({ write: (text) => out.push(text), isTTY }, 'tiny on quiz');
    for (const done of steps) line.show({ progress: done === null ? null : { done, total: 40 } });
    line.end();
    return out;
  };

  test('is one line on a terminal, which is cleared at the end', () => {
    const out = shown(true, null, 0, 10, 10, 40, null);
    expect(out[0]).toBe('\r\x1b[Ktiny on quiz: waiting');
    expect(out[2]).toBe('\r\x1b[Ktiny on quiz: ██████░░░░░░░░░░░░░░░░░░ 10 of 40 answers');
    expect(out).toHaveLength(5);
    expect(out.at(-1)).toBe('\r\x1b[K');
  });

  test('fits the width of the terminal', () => {
    const out: string[] = [];
    const title = 'tiny on a-file-with-a-rather-long-name-for-a-dataset.jsonl';
    const line = evaluationProgress({ write: (text) => out.push(text), isTTY: true, columns: 60 }, title);
    line.show({ progress: { done: 10, total: 40 } });
    const shown = out[0]!.replace('\r\x1b[K', '');
    expect(shown).toMatch(/^tiny on a-f.*…: █.* 10 of 40 answers$/);
    expect(shown.length).toBeLessThan(60);
  });

  test('prints a line per 10 % outside a terminal', () => {
    expect(shown(false, 0, 1, 2, 3, 4, 40)).toEqual([
      'tiny on quiz: 0 % of 40 answers\n',
      'tiny on quiz: 10 % of 40 answers\n',
      'tiny on quiz: 100 % of 40 answers\n',
    ]);
  });
});

describe('a file of rows', () => {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-rows-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const file = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  test('has one row per line, or a list of rows, and keeps numbers as they are written', async () => {
    const lines = file('a.jsonl', '{"n": 1.0}\n\n{"n": 12345678901234567890}\n');
    expect(await readRows(lines)).toEqual(['{"n":1.0}', '{"n":12345678901234567890}']);
    expect(await readRows(file('a.json', '[{"n": 1.0}]'))).toEqual(['{"n":1.0}']);
    expect(isRowsFile(lines)).toBe(true);
    expect(isRowsFile('quiz')).toBe(false);
    expect(isRowsFile(join(directory, 'missing.jsonl'))).toBe(false);
  });

  test.each([
    ['b.jsonl', '{"a": 1}\n{', 'Line 2 of'],
    ['c.jsonl', '{"a": 1}\n2', 'is not a JSON object'],
    ['d.json', '{"a": 1}', 'is not a list of rows'],
    ['e.jsonl', '\n', 'has no rows'],
  ])('%s is refused', async (name, text, message) => {
    await expect(readRows(file(name, text))).rejects.toThrow(message);
  });
});
