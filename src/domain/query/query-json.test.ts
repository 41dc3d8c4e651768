import { expect, test } from 'vitest';
import { JsonText } from '../../util/json/json-text.ts';
import { parseQuery } from './parse-query.ts';
import { queryJson } from './query-json.ts';
import { parseSearchText } from './text-query.ts';

test.each([
  'a word and x:5 or not (y>=5.0 and z~"q\\"uote")',
  'id:9007199254740993 n=9007199254740993 f=1e300 g=-.5',
  'exception:null inputs.stream:true op_name:answer',
])('the query of %s is read back as it is', (text) => {
  const operation = parseSearchText(text);
  expect(parseQuery(new JsonText(queryJson(operation)))).toEqual(operation);
});

test('operations that no text has are written too', () => {
  const query =
    '{"$expr":{"$in":[{"$convert":{"input":{"$size":{"$getField":"inputs.a"}},"to":"int"}},[{"$literal":1},{"$literal":2}]]}}';
  expect(queryJson(parseQuery(new JsonText(query)))).toBe(query);
});
