import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('objects of the Python client', () => {
  const heddle = heddleForFile();

  const versions = async (project: string, name: string) => {
    const answer = await heddle.server.post('/objs/query', { project_id: project, filter: { object_ids: [name] } });
    return answer.json.objs;
  };

  test('what is published is read back, typed and versioned', async () => {
    const project = heddle.server.newProject();
    const { settings } = await runPython(heddle.server, 'objects.py', { args: [project] });
    const digests = settings.map((uri: string) => uri.split(':').at(-1));
    const stored = await versions(project, 'settings');
    expect(stored.map(({ digest }: { digest: string }) => digest)).toEqual(digests);
    expect(stored.map(({ version_index }: { version_index: number }) => version_index)).toEqual([0, 1]);
    expect(await versions(project, 'doubler')).toMatchObject([
      { kind: 'object', base_object_class: 'Model', leaf_object_class: 'Doubler', val: { factor: 2 } },
      { val: { factor: 3 } },
    ]);
    const read = await heddle.server.post('/refs/read_batch', { refs: [`${settings[0]}/key/nested/key/list/index/1`] });
    expect(read.json).toEqual({ vals: [{ deep: 'ü' }] });
  });

  test('deleted versions are gone, and the name can be used again', async () => {
    const project = heddle.server.newProject();
    await runPython(heddle.server, 'object_deletion.py', { args: [project] });
    expect(await versions(project, 'counter')).toMatchObject([{ val: { n: 2 }, is_latest: 1 }]);
    expect(await versions(project, 'obsolete')).toEqual([]);
  });

  test('tags and aliases are set, moved, listed and taken away', async () => {
    const project = heddle.server.newProject();
    const { first, second } = await runPython(heddle.server, 'labels.py', {
      args: [project],
      expected: /reserved|must not/, // what the program is refused on purpose
    });
    const filter = { tags: ['tried', 'slow one'] };
    const query = { project_id: project, filter, include_tags_and_aliases: true };
    const { objs } = (await heddle.server.post('/objs/query', query)).json;
    expect(objs).toMatchObject([
      { digest: first, tags: ['slow one'], aliases: [] },
      { digest: second, tags: ['tried'], aliases: ['latest', 'prod'] },
    ]);
  });

  test('an op is read with its code and runs elsewhere', async () => {
    const project = heddle.server.newProject();
    await runPython(heddle.server, 'op_code.py', { args: [project] });
    expect(await versions(project, 'combine')).toMatchObject([
      { kind: 'op', version_index: 0 },
      { kind: 'op', version_index: 1 },
    ]);
  });

  test('datasets keep their rows in order, grow, and are uploaded in pieces', async () => {
    const project = heddle.server.newProject();
    const { small, call } = await runPython(heddle.server, 'datasets.py', { args: [project] });
    expect(await versions(project, 'small')).toHaveLength(2);
    const [stored] = await storedCalls(heddle.server, project, { call_ids: [call] });
    expect(stored.inputs.question).toMatch(`${small}/attr/rows/id/`);
    const read = await heddle.server.post('/refs/read_batch', { refs: [stored.inputs.question] });
    expect(read.json).toEqual({ vals: ['q5'] });
  });

  test('pictures, sound, files, times and Markdown come back as what they were', async () => {
    const project = heddle.server.newProject();
    const { call } = await runPython(heddle.server, 'media.py', { args: [project] });
    const [stored] = await storedCalls(heddle.server, project, { call_ids: [call] });
    expect(stored.inputs.picture).toMatch(/\/object\/picture:[\w-]{43}$/);
    expect(stored.output.thumbnail).toMatchObject({
      _type: 'CustomWeaveType',
      weave_type: { type: 'PIL.Image.Image' },
      files: { 'image.png': expect.stringMatching(/^[\w-]{43}$/) },
    });
  });

  test('fifty versions published at once are fifty consecutive versions', async () => {
    const project = heddle.server.newProject();
    const { digests } = await runPython(heddle.server, 'many_publishers.py', { args: [project] });
    const stored = await versions(project, 'shared');
    const indices = stored.map(({ version_index }: { version_index: number }) => version_index);
    expect(indices).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(new Set(stored.map(({ digest }: { digest: string }) => digest))).toEqual(new Set(digests));
    expect(stored.filter(({ is_latest }: { is_latest: number }) => is_latest === 1)).toHaveLength(1);
  });

  test('digests that the client computes are those of the server', async () => {
    const project = heddle.server.newProject();
    const environment = { WEAVE_ENABLE_CLIENT_SIDE_DIGESTS: 'true' };
    await runPython(heddle.server, 'client_digests.py', { args: [project], environment });
    await runPython(heddle.server, 'objects.py', { args: [project], environment });
    await runPython(heddle.server, 'media.py', { args: [project], environment });
  });
});
