import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chatRequest } from '../../contract/chat/request.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { openServedText } from '../tokenizer/served-text.ts';
import { promptOf } from './prompt.ts';

const text = await openServedText(fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url)));
const contextLength = 4096;

/** Tells how many characters were made tokens. */
function counted() {
  const seen = { characters: 0 };
  const tokenizer = new Proxy(text.tokenizer, {
    get(target, name) {
      if (name !== 'encode') return Reflect.get(target, name, target);
      return (given: string, options?: { addSpecialTokens?: boolean }) => {
        seen.characters += given.length;
        return target.encode(given, options);
      };
    },
  });
  return { seen, text: { ...text, tokenizer } };
}

const ask = (content: string, more: object = {}, given = text) =>
  promptOf(chatRequest.parse({ messages: [{ role: 'user', content }], ...more }), given, contextLength, {
    now: new Date(0),
    renderUntrusted: async () => '',
  });

test('a prompt far beyond the context is refused before all of it is made tokens', async () => {
  const { seen, text: given } = counted();
  await expect(ask('a b '.repeat(1_000_000), {}, given)).rejects.toThrow(/4096 tokens. The prompt has more/);
  expect(seen.characters).toBeLessThan(200_000);
});

test('what is cut off by truncate_prompt_tokens does not count', async () => {
  const { ids } = await ask('a b '.repeat(70_000), { truncate_prompt_tokens: new JsonText('10') });
  expect(ids).toHaveLength(10);
});
