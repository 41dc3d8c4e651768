import { expect, test } from 'vitest';
import { showMove } from './move-progress.ts';

function shown(isTTY: boolean) {
  let text = '';
  let at = 0;
  const line = showMove({ isTTY, write: (more) => (text += more) }, () => at);
  return {
    after(seconds: number, table: string, rows: number) {
      at = seconds * 1000;
      line.show({ part: 'ClickHouse', table, rows, rowsTotal: 300_000, bytes: rows * 1000 });
    },
    take() {
      const taken = text;
      text = '';
      return taken;
    },
    line,
  };
}

test('on a terminal, one line has the rate and the time that is left', () => {
  const { after, take, line } = shown(true);
  after(0, 'calls', 100_000);
  expect(take()).toBe('\r\x1b[KClickHouse calls  100,000 of 300,000 (33 %)');
  after(0.1, 'calls', 101_000);
  expect(take()).toBe(''); // too early for a change
  after(10, 'calls', 200_000);
  expect(take()).toBe('\r\x1b[KClickHouse calls  200,000 of 300,000 (66 %), 10,000/s, 19 MB/s, 10 s left');
  line.end();
  expect(take()).toBe('\r\x1b[K');
});

test('elsewhere, there is a line for each table, and one every ten seconds', () => {
  const { after, take, line } = shown(false);
  after(0, 'calls', 1000);
  after(5, 'calls', 2000);
  expect(take()).toBe('ClickHouse calls  1,000 of 300,000 (0 %)\n');
  after(12, 'calls', 13_000);
  expect(take()).toBe('ClickHouse calls  13,000 of 300,000 (4 %), 1,000/s, 1.0 MB/s, 5 min left\n');
  after(13, 'feedback', 14_000);
  expect(take()).toMatch(/^ClickHouse feedback {2}14,000 of 300,000 .*\n$/);
  line.end();
  expect(take()).toBe('');
});
