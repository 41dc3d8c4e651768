import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StopStrings } from './stop-strings.ts';

test('105 a stop string that spans pieces cuts the text before it', () => {
  expect(run(['lo w'], ['Hel', 'lo', ' wor', 'ld'])).toEqual({ pieces: ['He', 'l', ''], stop: 'lo w', end: '' });
});

test('106 with include the text ends exactly with it', () => {
  const result = run(['lo w'], ['Hel', 'lo', ' wor'], true);
  expect(result.pieces.join('')).toBe('Hello w');
  expect(result.stop).toBe('lo w');
});

test('107 the string that ends first wins, then the order of the list', () => {
  expect(run(['abc', 'b'], ['xabc'])).toEqual({ pieces: ['xa'], stop: 'b', end: '' });
  expect(run(['bc', 'abc'], ['xabc']).stop).toBe('bc');
  expect(run(['abc', 'bc'], ['xabc'])).toEqual({ pieces: ['x'], stop: 'abc', end: '' });
});

test('111 what ends before min_tokens does not count, a later one does', () => {
  const stops = new StopStrings(['ab']);
  expect(stops.push('xab', false)).toEqual({ text: 'xab', stop: null });
  expect(stops.push('yab')).toEqual({ text: 'y', stop: 'ab' });
});

test('158 nothing is sent that a stop string would later cut', () => {
  expect(run(['STOP'], ['S', 'T', 'X ', 'ST', 'OP!'])).toEqual({
    pieces: ['', '', 'STX ', '', ''],
    stop: 'STOP',
    end: '',
  });
});

test('text held back comes at the end', () => {
  expect(run(['STOP'], ['a ST'])).toEqual({ pieces: ['a '], stop: null, end: 'ST' });
});

test('pieces give the same as the whole text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
  const stop = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(text), fc.array(stop, { maxLength: 3 }), fc.boolean(), (pieces, stops, includes) => {
      const streamed = run(stops, pieces, includes);
      expect(streamed.pieces.join('') + streamed.end).toBe(cut(pieces.join(''), stops, includes));
    }),
  );
});

/** The same by looking at the whole text. */
function cut(text: string, stops: string[], includes: boolean): string {
  for (let end = 1; end <= text.length; end++) {
    const found = stops.find((stop) => text.slice(0, end).endsWith(stop));
    if (found !== undefined) return text.slice(0, includes ? end : end - found.length);
  }
  return text;
}

function run(stopStrings: string[], pieces: string[], includesStop = false) {
  const stops = new StopStrings(stopStrings, { includesStop });
  const shown: string[] = [];
  for (const piece of pieces) {
    const { text, stop } = stops.push(piece);
    shown.push(text);
    if (stop !== null) return { pieces: shown, stop, end: stops.end() };
  }
  return { pieces: shown, stop: null, end: stops.end() };
}
