// Publishing and reading back: plain values, typed objects, prompts, datasets, pictures, sound, ops.
import assert from 'node:assert/strict';
import * as weave from 'weave';

const client = await weave.init(process.argv[2]);

const settings = { lr: 0.1, nested: { list: [1, { deep: 'ü' }], none: null } };
const first = await client.publish({ ...settings }, 'settings');
const second = await client.publish({ ...settings, lr: 0.2 }, 'settings');
assert.notEqual(first.digest, second.digest);
assert.deepEqual(await first.get(), settings);
assert.equal((await client.get(new weave.ObjectRef(process.argv[2], 'settings', 'latest'))).lr, 0.2);
assert.equal((await client.get(weave.ObjectRef.fromUri(first.uri()))).lr, 0.1);
await assert.rejects(
  () => client.get(new weave.ObjectRef(process.argv[2], 'settings', 'v7')),
  (error) => error.status === 404 || /Unable to find/.test(error.message),
);

class Config extends weave.WeaveObject {
  constructor(limit) {
    super({ name: 'config', description: 'limits' });
    this.limit = limit;
  }
}
const config = await client.publish(new Config(3));
assert.deepEqual(await config.get(), {
  _type: 'Config',
  _class_name: 'Config',
  _bases: ['Object', 'BaseModel'],
  name: 'config',
  description: 'limits',
  limit: 3,
});

const prompt = await client.publish(new weave.StringPrompt({ name: 'say', content: 'Say {word}!' }));
assert.equal((await prompt.get()).format({ word: 'hello' }), 'Say hello!');
const messages = [{ role: 'user', content: 'Hi {who}' }];
const chat = await client.publish(new weave.MessagesPrompt({ name: 'chat', messages }));
assert.equal((await chat.get()).format({ who: 'you' })[0].content, 'Hi you');

const rows = Array.from({ length: 1200 }, (_, n) => ({ id: `r${n}`, n, twice: n * 2 }));
const dataset = new weave.Dataset({ name: 'numbers', rows });
const datasetRef = await dataset.save();
const read = await datasetRef.get();
assert.equal(read.length, 1200);
assert.deepEqual({ ...read.getRow(7), __savedRef: undefined }, { id: 'r7', n: 7, twice: 14, __savedRef: undefined });

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const picture = weave.op((image) => ({ same: image, loud: weave.weaveAudio({ data: Buffer.alloc(100) }) }), {
  name: 'picture',
});
await picture(weave.weaveImage({ data: png }));

// A row of a dataset given to an op is stored as a ref to it.
const useRow = weave.op((row) => row.n, { name: 'useRow' });
assert.equal(await useRow(dataset.getRow(3)), 3);
await client.waitForBatchProcessing();

const [call] = await client.getCalls({ op_names: [`weave:///${process.argv[2]}/op/useRow:*`] });
assert.match(call.inputs.arg0, /\/object\/numbers:\w+\/attr\/rows\/id\/\w+$/);

process.stdout.write(
  `${JSON.stringify({ settings: [first.uri(), second.uri()], dataset: datasetRef.uri(), row: call.inputs.arg0 })}\n`,
);
