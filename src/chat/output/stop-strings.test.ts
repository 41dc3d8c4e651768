import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StopStrings } from './stop-strings.ts';

test('cuts the text before a stop string that spans pieces [chat 105]', () => {
  expect(run(['lo w'], ['Hel', 'lo', ' wor', 'ld'])).toEqual({ pieces: ['He', 'l', ''], stop: 'lo w', end: '' });
});

test('with include_stop_str_in_output the text ends with the stop string [chat 106]', () => {
  const result = run(['lo w'], ['Hel', 'lo', ' wor'], true);
  expect(result.pieces.join('')).toBe('Hello w');
  expect(result.stop).toBe('lo w');
});

test('the stop string that ends first wins, then the order of the list [chat 107]', () => {
  expect(run(['abc', 'b'], ['xabc'])).toEqual({ pieces: ['xa'], stop: 'b', end: '' });
  expect(run(['bc', 'abc'], ['xabc']).stop).toBe('bc');
  expect(run(['abc', 'bc'], ['xabc'])).toEqual({ pieces: ['x'], stop: 'abc', end: '' });
});

test('ignores a stop string before min_tokens, and finds a later one [chat 111]', () => {
  const stops = new StopStrings(['ab']);
  expect(stops.push('xab', false)).toEqual({ text: 'xab', stop: null });
  expect(stops.push('yab')).toEqual({ text: 'y', stop: 'ab' });
});

test('holds back text that a stop string may cut [chat 158]', () => {
  expect(run(['STOP'], ['S', 'T', 'X ', 'ST', 'OP!'])).toEqual({
    pieces: ['', '', 'STX ', '', ''],
    stop: 'STOP',
    end: '',
  });
});

test('releases held text at the end', () => {
  expect(run(['STOP'], ['a ST'])).toEqual({ pieces: ['a '], stop: null, end: 'ST' });
});

test('pieces give the same result as the whole text', () => {
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
