import { expect, test } from 'vitest';
import { errorText } from './error-text.ts';

test.each([
  ['{"error": {"message": "no such model"}}', 'no such model'],
  ['[{"error": "broken"}]', 'broken'],
  ['{"detail": "Not Found"}', 'Not Found'],
  ['{"detail": [{"loc": ["body", "rank"], "msg": "too large", "input": 99}]}', 'body.rank: too large'],
  ['a page\n of text', 'a page of text'],
  ['{"message": "key s3cret is unknown"}', 'key REDACTED is unknown'],
  ['x'.repeat(2000), `${'x'.repeat(1000)}…`],
])('finds the message in %s', (body, message) => {
  expect(errorText(body, ['s3cret', ''])).toBe(message);
});
