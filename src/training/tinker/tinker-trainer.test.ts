import { expect, test } from 'vitest';
import { rowOfSequence } from '../../engine/training/row.ts';
import { ToyModel } from './testing/toy-model.ts';
import { afterStep, openToy, plain, toySpec, weightsApart } from './testing/toy-trainer.ts';

const rows = [
  rowOfSequence(
    Int32Array.from({ length: 12 }, (_, i) => 3 * i + 5),
    (index) => index > 2,
  ),
];
const loss = { name: 'cross_entropy' as const };

test('trains with the settings of the job, frees the model, and sends the key with each request', async () => {
  const { server, trainer } = await openToy();
  const model = await trainer.createModel({ ...toySpec, seed: 7 });
  expect(model.warnings).toEqual([]);
  await model.forwardBackward(rows, loss);
  const step = await model.optimStep({ ...plain, weightDecay: 0.1, gradientNormMax: 0.5 });
  expect(step).toEqual({ step: 1, gradientNorm: expect.any(Number) });
  const created = server.received.filter(({ path }) => path === 'create_model').at(-1)!;
  expect(created.body).toMatchObject({ base_model: 'there/tiny', lora_config: { rank: 8, seed: 7 } });
  const adam = { learning_rate: 100, beta1: 0, beta2: 0, eps: 1000, weight_decay: 0.1, grad_clip_norm: 0.5 };
  expect(server.received.filter(({ path }) => path === 'optim_step').at(-1)!.body.adam_params).toEqual(adam);
  await model.close();
  expect(server.models()).toEqual([]);
  const last = server.received.filter(({ path }) => path === 'optim_step').at(-1)!.body.adam_params;
  expect(last).toMatchObject({ learning_rate: 0 });
  expect(server.received.filter(({ path, key }) => !path.startsWith('/files') && key !== 'the-key')).toEqual([]);
  expect(server.received.filter(({ path, key }) => path.startsWith('/files') && key !== undefined)).toEqual([]);
  await expect(model.forward(rows, 'trained')).rejects.toThrow('The model in training was closed.');
});

test('says what the server does otherwise, or refuses it if it is strict', async () => {
  const unlike = { alpha: 64, clips: false, decays: false, countsRepeatsOnce: false };
  const { trainer } = await openToy(unlike);
  const { warnings } = await trainer.createModel(toySpec);
  expect(warnings).toEqual([
    expect.stringMatching(/^lora alpha: .* with alpha 64 instead of 32, so a step changes the model 2 times as much/),
    expect.stringMatching(/^grad_clip_norm: /),
    expect.stringMatching(/^weight_decay: /),
    expect.stringMatching(/^seq_id: /),
  ]);
  const strict = await openToy(unlike, { isStrict: true });
  await expect(strict.trainer.createModel(toySpec)).rejects.toMatchObject({
    kind: 'unsupported',
    message: expect.stringMatching(/grad_clip_norm.* HEDDLE_TINKER_STRICT is set/),
  });
});

test('applies a step once if its answers get lost', async () => {
  const { server, trainer } = await openToy({ patience: 1 });
  const model = await trainer.createModel(toySpec);
  for (const path of ['forward_backward', 'optim_step', 'retrieve_future']) server.lose(path, 2);
  await model.forwardBackward(rows, loss);
  await model.optimStep(plain);
  expect(weightsApart(server.models().at(-1)!, afterStep(new ToyModel(), rows, loss))).toBeLessThan(2e-6);
});

test('fails if the answer to a step is lost and the server would apply it twice', async () => {
  const { server, trainer } = await openToy({ countsRepeatsOnce: false });
  const model = await trainer.createModel(toySpec);
  await model.forwardBackward(rows, loss);
  server.received.length = 0;
  server.lose('optim_step');
  await expect(model.optimStep(plain)).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(
      /^The Tinker server 127\.0\.0\.1:\d+ cannot be reached, or closed the connection \(.+\)\.$/,
    ),
  });
  expect(server.received.filter(({ path }) => path === 'optim_step')).toHaveLength(1);
  await expect(model.forward(rows, 'trained')).rejects.toThrow(
    'The model cannot be trained further, since a step failed.',
  );
});

test('measures a server once, and again after it was restarted', async () => {
  const { server, trainer } = await openToy();
  const sessions = () => server.received.filter(({ path }) => path === 'create_session').length;
  const model = await trainer.createModel(toySpec);
  await trainer.createModel(toySpec);
  expect(sessions()).toBe(3);
  server.restart();
  await expect(model.forwardBackward(rows, loss)).rejects.toMatchObject({
    kind: 'notFound',
    message: expect.stringMatching(/^The Tinker server .* answered 404: Model not found \(key REDACTED\)\.$/),
  });
  await trainer.createModel(toySpec);
  expect(sessions()).toBe(5);
});

test('gives a new model no gradients of an earlier one', async () => {
  const { server, trainer } = await openToy({ keepsGradients: true });
  const model = await trainer.createModel(toySpec);
  await model.forwardBackward(rows, loss);
  await model.close();
  server.leaveGradients();
  await trainer.createModel(toySpec);
  expect(server.models().at(-1)!.parts).toEqual([]);
});

test('continues from a state that the server keeps, and refuses others', async () => {
  const { server, trainer } = await openToy({ alpha: 64 });
  const model = await trainer.createModel(toySpec);
  await model.forwardBackward(rows, loss);
  await model.optimStep(plain);
  const state = await model.saveState();
  expect(state).toMatchObject({ optimizer: null, adapter: { rank: 8, alpha: 32, baseModel: 'here/tiny' } });
  // The same function with the alpha of the job.
  expect(state.adapter.modules.values().next().value!.b[0]).toBe(0.5);
  const other = await trainer.createModel(toySpec);
  await other.loadState(state);
  expect(server.received.filter(({ path }) => path === 'load_weights').at(-1)!.body).toMatchObject({ optimizer: true });
  const scores = await model.forward(rows, 'trained');
  expect(await other.forward(rows, 'trained')).toEqual(scores);
  expect(await model.forward(rows, state)).toEqual(scores);
  expect(await other.forward(rows, 'base')).not.toEqual(scores);
  expect(await other.forward(rows, 'base')).toEqual(await model.forward(rows, 'base'));

  const { remote: _, ...local } = state;
  await expect(other.loadState(local)).rejects.toMatchObject({
    kind: 'invalidInput',
    message: expect.stringMatching(/^These weights were trained without the Tinker server/),
  });
  const lost = { ...state, remote: { ...state.remote!, path: 'tinker://gone/weights/gone' } };
  await expect(other.loadState(lost)).rejects.toMatchObject({
    kind: 'invalidInput',
    message: expect.stringMatching(/does not have the state tinker:\/\/gone\/weights\/gone any more/),
  });
});

test('checks rows and names before it sends anything', async () => {
  const { server, trainer } = await openToy();
  const model = await trainer.createModel(toySpec);
  server.received.length = 0;
  const outside = [rowOfSequence(Int32Array.of(1, 2, 5000), () => true)];
  await expect(model.forwardBackward(outside, loss)).rejects.toThrow('outside the vocabulary of 1024');
  const long = [rowOfSequence(new Int32Array(1025).fill(7), () => true)];
  await expect(model.forwardBackward(long, loss)).rejects.toThrow('Row 0 has a sequence of 1025 tokens');
  await expect(model.optimStep(plain)).rejects.toThrow('There is no gradient');
  expect(server.received).toEqual([]);
  const unnamed = { ...toySpec, base: { id: 'tiny', name: 'other' } };
  await expect(trainer.createModel(unnamed)).rejects.toThrow(
    'does not train other. It trains there/tiny. If other has another name there, set HEDDLE_TINKER_MODELS=other=NAME.',
  );
});

test('stops waiting for a server when a job is canceled', async () => {
  const { trainer } = await openToy({ patience: 10_000 });
  const reason = new Error('canceled');
  const abort = new AbortController();
  const created = trainer.createModel(toySpec, abort.signal);
  setTimeout(() => abort.abort(reason), 50);
  await expect(created).rejects.toBe(reason);
});
