import { describe, expect, test } from 'vitest';
import { foldLines, lateSpans, otherTimes, versionOf } from './fold-lines.ts';
import { type PartLine, withdrawal } from './part-line.ts';

function line(number: number, kind: PartLine['kind'], more: Partial<PartLine> = {}): PartLine {
  const startedAt = kind === 'start' || kind === 'complete' ? 100 : null;
  const endedAt = kind === 'end' || kind === 'complete' ? 200 : null;
  return {
    ...{ number, kind, startedAt, endedAt, process: 'a', settledBefore: 0, value: '' },
    ...{ traceId: 't', spanTraceId: '', mapperVersion: 0, yieldsToSdk: false, ...more },
  };
}

test('the order in which parts are read does not matter', () => {
  const lines = [line(1, 'start'), line(20, 'rename', { value: 'one' }), line(30, 'rename', { value: 'two' })];
  expect(foldLines(lines.toReversed())).toEqual(foldLines(lines));
  expect(foldLines(lines).displayName).toBe('two');
});

test('a row of fewer parts has a lower version, with room for one in between', () => {
  const lines = [line(1, 'start'), line(20, 'end'), line(5, 'rename')];
  expect(versionOf(lines) - versionOf(lines.slice(0, 2))).toBeGreaterThanOrEqual(2);
});

describe('a row at 0 has to be hidden', () => {
  test.each<[string, PartLine[], number[]]>([
    ['not if the end came with the start', [line(1, 'start'), line(2, 'end')], []],
    ['not if the start was visible before', [line(1, 'start'), line(9, 'end', { settledBefore: 5 })], []],
    ['if the end may have been seen alone', [line(1, 'start'), line(9, 'end')], [0]],
    ['if the end came first', [line(1, 'end'), line(9, 'start')], [0]],
    ['if the other start may be lost with its row', [line(1, 'complete'), line(9, 'end', { settledBefore: 5 })], [0]],
    [
      'if the only start before was taken back',
      [line(1, 'start'), withdrawal(line(1, 'start'), 2), line(9, 'end', { settledBefore: 5 }), line(20, 'start')],
      [0],
    ],
  ])('%s', (_name, lines, times) => expect(otherTimes(lines, 100)).toEqual(times));

  test('a call that was stored at another time is hidden there', () => {
    expect(otherTimes([line(1, 'start'), line(9, 'start', { startedAt: 300 })], 300)).toEqual([100]);
  });
});

test('of two spans with one id, the one that was visible first keeps it', () => {
  const span = (number: number, process: string, trace: string) =>
    line(number, 'complete', { process, traceId: trace, spanTraceId: trace, mapperVersion: 1 });
  const [late, first] = [span(1, 'a', 't1'), span(9, 'b', 't2')];
  expect(lateSpans([late], [late, first], foldLines([late, first]))).toEqual([late]);
  const lines = [late, first, withdrawal(late, 2)];
  const folded = foldLines(lines);
  expect(folded.start).toBe(first);
  expect(folded.outcomes.get(late.number)).toBe('ofOtherTrace');
  expect(lateSpans([late], lines, folded)).toEqual([]);
});
