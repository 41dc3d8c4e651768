import { describe, expect, test } from 'vitest';
import { runWandb } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { artEnvironment } from '../training/environment.ts';
import { wandbEnvironment } from './environment.ts';

const createProject = 'mutation Create($name: String!) { upsertModel(input: { name: $name }) { inserted } }';

const heddle = heddleForFile();

describe.skipIf(!artEnvironment.isReady())('the wandb package', () => {
  test('records and resumes a run, and logs, uses, changes and deletes artifacts [training 96 97 98 99 100 101]', async () => {
    const { server } = heddle;
    const project = server.newProject();
    const report = await runWandb(server, 'runs_and_artifacts.py', { args: [project] });
    expect(report).toEqual({
      logged: { version: 'v0', aliases: ['best', 'latest'], size: 2_000_010 },
      resumed: { step: 10, lr: 0.1, final: 7 },
      downloaded: { 'a.txt': true, 'sub/same.txt': true, 'b.bin': true },
      same: 'v0',
      next: 'v1',
      read: {
        state: 'finished',
        name: 'first',
        tags: ['x'],
        config: { lr: 0.1, deep: { a: [1] } },
        loss: [...Array.from({ length: 10 }, (_, step) => 1 / (step + 1)), 0.01],
        summary: { loss: 0.01, final: 7 },
        sampled: 4,
        files: ['config.yaml', 'output.log', 'requirements.txt', 'wandb-metadata.json', 'wandb-summary.json'],
        output: '_wan',
      },
      runs: { 'run-1': 'finished', 'run-2': 'failed' },
      changed: { metadata: { rows: 3, checked: true }, aliases: ['best', 'production'], description: 'words' },
      versions: ['corpus:v1', 'corpus:v0'],
      used_by: ['run-1'],
      logged_by: 'run-1',
      latest: 'v0',
      deleted: true,
    });

    const listed = await server.command('runs', 'list', '--project', project);
    expect(listed).toMatch(/run-1 +.*finished/);
    const shown = await server.command('runs', 'show', `${project}/run-1`);
    expect(shown).toMatch(/loss +1\.00 █[▁▂▃▄▅▆▇█]+ 0\.0100/);
  });

  test("rejects another user's key at once, with a clear error [training 102]", async () => {
    const { server } = heddle;
    const project = server.newProject();
    await server.post('/graphql', { query: createProject, variables: { name: project.split('/')[1] } });
    await server.command('users', 'create', 'guest');
    const key = await server.command('keys', 'create', '--user', 'guest');
    const report = await runWandb(server, 'stranger.py', {
      args: [project],
      environment: { WANDB_API_KEY: key, WANDB_SILENT: 'true' },
      expected: /Forbidden/,
    });
    expect(report).toEqual({
      init: expect.stringContaining('Forbidden'),
      artifact: 'Forbidden',
    });
  });
});

const releases = [
  ['0.25.0', artEnvironment],
  ['0.31.0', wandbEnvironment],
] as const;

describe.each(releases)('the wandb package %s', (_release, environment) => {
  test.skipIf(!environment.isReady())('downloads files whole and in parts', async () => {
    const { server } = heddle;
    const options = { args: [server.newProject()], expected: /Symlinked/ };
    const all = { 'large.bin': true, 'sub/small.txt': true, 'same.txt': true };
    expect(await runWandb(server, 'downloads.py', options, environment)).toEqual({
      ...{ version: 'v0', size: 1_000_010, whole: all, in_parts: all, notes: 'first', next: 'v1' },
    });
  });

  const steps = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

  test.skipIf(!environment.isReady())(
    'syncs, shares, forks, rewinds and filters runs, reads references, runs sweeps, and passes its self-test',
    async () => {
      const { server } = heddle;
      const project = server.newProject();
      // The client warns of a link that it makes itself, and reports what it does not find.
      const expected = /Symlinked|experimental|supports the methods|cannot use the field|failed to|Failed/i;
      const report = await runWandb(server, 'further.py', { args: [project], expected }, environment);
      expect(report).toMatchObject({
        offline: [0, 1, 2],
        ranks: [0, 0],
        shared: [0, 1].flatMap((rank) => steps(20).map((i) => [rank, i])),
        odd: ['nan', 'inf', '-inf'],
        keys: steps(10),
        pages: steps(10),
        range: [3, 4, 5, 6],
        nested: { typeCounts: [{ type: 'number', count: 10 }], monotonic: true, previousValue: 9 },
        note: 'hello',
        used: ['mixed:v0'],
        kept: ['requirements.txt'],
        files: ['far.txt', 'note.txt'],
        downloaded: ['far.txt', 'note.txt'],
        fork: [...steps(5).map((step) => [step, step]), [5, 100]],
        rewound: [...steps(7).map((step) => [step, step]), [7, 200]],
        config: [['fork'], 1],
        tags: [['parent'], 1],
        or: [['offline'], 1],
        summary: [['fork', 'parent'], 2],
        unknown: expect.stringContaining('cannot use the field colour'),
        bayes: expect.stringContaining('heddle supports the methods grid and random'),
        sweep: {
          state: 'FINISHED',
          method: 'grid',
          order: '-summary_metrics.score',
          xs: [1, 2, 3],
          best: 3,
          expected: 3,
        },
        verify: 0,
        verify_runs: ['finished'],
        projects: true,
        created: '20',
      });
      expect(report.verified).toMatchObject({
        'Checking if logged in': true,
        'Checking signed URL upload': true,
        'Checking ability to send large payloads through proxy': true,
        'Checking wandb package version is up to date': true,
        'Checking logged metrics, saving and downloading a file': true,
        'Checking artifact save and download workflows': true,
        'Checking sweep creation and agent execution': true,
      });
    },
  );
});
