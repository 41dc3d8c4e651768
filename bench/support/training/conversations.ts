import { openServedText } from '../../../src/chat/tokenizer/served-text.ts';
import { sftJobConfig } from '../../../src/contract/training-jobs/sft-config.ts';
import { sftSettings } from '../../../src/domain/training/sft-settings.ts';
import { SftPreparation, type TokenizedConversation } from '../../../src/finetuning/sft/prepare-sft.ts';
import { openConversationTokens } from '../../../src/finetuning/tokens/conversation-tokens.ts';
import { randomFrom } from '../random.ts';

const places = ['the kitchen', 'the station', 'the library', 'a small island', 'the old bridge', 'the market'];
const things = ['a lamp', 'two red apples', 'the morning paper', 'a letter', 'some bread and cheese', 'an umbrella'];
const acts = ['look for', 'ask about', 'bring back', 'describe', 'count', 'give away'];

/** Short conversations as the batches of a supervised job, tokenized for a model. The same each time. */
export async function conversationBatches(
  path: string,
  { count, batchSize }: { count: number; batchSize: number },
): Promise<TokenizedConversation[][]> {
  const text = await openServedText(path);
  const config = { training_data_url: '', config: { batch_size: batchSize } };
  const preparation = new SftPreparation({
    settings: sftSettings(sftJobConfig.parse(config)).settings,
    contextLength: 1024,
    tokenize: openConversationTokens(text, new Date(0)),
    decode: (ids) => text.tokenizer.decode(ids),
    examples: 0,
    rollouts: { stepsMax: 0, perStepMax: 0 },
    seed: 1n,
  });
  const random = randomFrom(17);
  for (let i = 0; i < count; i++) {
    const messages = Array.from({ length: 1 + random.below(2) }, () => {
      const [act, thing, place] = [random.pick(acts), random.pick(things), random.pick(places)];
      return [
        { role: 'user', content: `Where should I ${act} ${thing}?` },
        { role: 'assistant', content: `You should ${act} ${thing} near ${place}, and then come back here.` },
      ];
    });
    preparation.add(JSON.stringify({ messages: messages.flat() }));
  }
  return preparation.finish().batches.map(({ conversations }) => conversations);
}
