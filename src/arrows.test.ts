import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Which rooms each room may import from, beside itself. See ARCHITECTURE.md. */
const arrows: Record<string, string[]> = {
  util: [],
  contract: ['util'],
  domain: ['contract', 'util'],
  store: ['contract', 'domain', 'util'],
  otel: ['contract', 'domain', 'util'],
  identity: ['contract', 'store', 'util'],
  wandb: ['contract', 'domain', 'identity', 'services', 'util'],
  engine: ['util'], // it knows token ids, not messages
  chat: ['contract', 'domain', 'engine', 'util'],
  inference: ['chat', 'contract', 'domain', 'engine', 'util'],
  training: ['domain', 'engine', 'util'],
  metrics: ['chat', 'domain', 'inference', 'store', 'util'],
  providers: ['contract', 'domain', 'util'],
  services: ['chat', 'contract', 'domain', 'engine', 'identity', 'inference', 'otel', 'providers', 'store', 'util'],
  evaluation: ['contract', 'domain', 'identity', 'services', 'util'],
  finetuning: [
    'chat',
    'contract',
    'domain',
    'engine',
    'identity',
    'inference',
    'services',
    'store',
    'training',
    'util',
  ],
  tinker: [
    'chat',
    'contract',
    'domain',
    'engine',
    'finetuning',
    'identity',
    'inference',
    'services',
    'store',
    'training',
    'util',
  ],
  imports: ['contract', 'domain', 'evaluation', 'identity', 'otel', 'services', 'util'],
  loops: ['contract', 'domain', 'evaluation', 'finetuning', 'services', 'util'],
  jobs: ['contract', 'domain', 'evaluation', 'finetuning', 'identity', 'loops', 'services', 'store', 'util'],
  api: ['chat', 'contract', 'domain', 'engine', 'http', 'identity', 'jobs', 'otel', 'services', 'tinker', 'util'],
  http: ['contract', 'identity', 'util', 'wandb'],
  admin: [
    'contract',
    'domain',
    'engine',
    'evaluation',
    'finetuning',
    'identity',
    'imports',
    'inference',
    'jobs',
    'metrics',
    'services',
    'store',
    'training',
    'util',
  ],
  cli: ['admin', 'contract', 'identity', 'otel', 'store', 'util'],
  open: [
    'admin',
    'chat',
    'domain',
    'engine',
    'evaluation',
    'finetuning',
    'identity',
    'inference',
    'jobs',
    'metrics',
    'providers',
    'services',
    'store',
    'tinker',
    'training',
    'util',
  ],
};

/** Files in `src/` itself. They may import from everywhere; of them, rooms may import these, for their types. */
const mayBeImported: Record<string, string[]> = {
  'config.ts': ['admin', 'cli', 'http', 'open'],
  'log.ts': ['admin', 'cli', 'http', 'open'],
  'context.ts': ['api', 'open'],
  'main.ts': ['cli'],
};

const src = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing\//.test(file),
);

test.each(files)('%s imports only from the rooms below it', (file) => {
  const room = file.includes('/') ? file.split('/')[0]! : null;
  if (room === null) return;
  expect(
    Object.keys(arrows),
    `src/${room}/ is a new room: add it to the arrows, here and in ARCHITECTURE.md`,
  ).toContain(room);
  const wrong = importsOf(file).filter((imported) => !isAllowed(room, imported));
  const message = `src/${file} may import from ${[room, ...arrows[room]!].join(', ')}; it imports ${wrong.join(', ')}. Move the code, or draw the arrow in src/arrows.test.ts and ARCHITECTURE.md.`;
  expect(wrong, message).toEqual([]);
});

/** Types that are two halves of one thing. */
const circlesAllowed = [
  ['engine/runtime/kept-rows.ts', 'engine/runtime/kv-cache.ts'],
  ['engine/scheduling/generation.ts', 'engine/scheduling/sequence.ts'],
  ['engine/training/graph/attention-blocks.ts', 'engine/training/graph/context.ts'],
];

test('files do not import each other in circles', () => {
  const known = new Set(files);
  const below = new Map(files.map((file) => [file, importsOf(file).filter((imported) => known.has(imported))]));
  const circles = new Set<string>();
  for (const file of files) {
    // What a file reaches that also reaches the file is in a circle with it.
    const reached = reachedFrom(file, below);
    const circle = [...reached].filter((other) => other !== file && reachedFrom(other, below).has(file));
    if (circle.length > 0) circles.add([file, ...circle].sort().join(' '));
  }
  const message = 'Move what one of them needs of the other to a file below both.';
  expect([...circles].sort(), message).toEqual(circlesAllowed.map((circle) => circle.join(' ')));
});

function reachedFrom(start: string, below: Map<string, string[]>): Set<string> {
  const known = reachedBefore.get(start);
  if (known) return known;
  const reached = new Set<string>();
  const open = [...below.get(start)!];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    open.push(...below.get(file)!);
  }
  reachedBefore.set(start, reached);
  return reached;
}

const reachedBefore = new Map<string, Set<string>>();

/** Rooms that know nothing of HTTP: what they cannot do is a `Failure` (util/failures.ts). */
const withoutStatuses = [
  'util',
  'domain',
  'engine',
  'chat',
  'inference',
  'training',
  'store',
  'otel',
  'identity',
  'providers',
  'services',
  'evaluation',
  'imports',
  'jobs',
];

test.each(files.filter((file) => withoutStatuses.includes(file.split('/')[0]!)))('%s throws no HTTP errors', (file) => {
  const message = `src/${file} imports contract/errors.ts, whose errors have statuses. Throw a Failure of util/failures.ts; contract/errors.ts has the status of each kind.`;
  expect(importsOf(file), message).not.toContain('contract/errors.ts');
});

test.each(files.filter((file) => file.startsWith('store/')))('%s takes no requests and answers', (file) => {
  const message = `src/${file} imports a type of requests or answers. Define what it stores or finds in domain/, and let handlers translate.`;
  const ofContract = importsOf(file).filter((imported) => imported.startsWith('contract/'));
  expect(
    ofContract.filter((imported) => imported !== 'contract/ids.ts'),
    message,
  ).toEqual([]);
});

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(/from '(\.[^']+)'/g)].map((match) => relative(src, join(src, dirname(file), match[1]!)));
}

function isAllowed(room: string, imported: string): boolean {
  if (!imported.includes('/')) return mayBeImported[imported]?.includes(room) ?? false;
  const target = imported.split('/')[0]!;
  return target === room || arrows[room]!.includes(target);
}

/** Which rings of the web page each ring may import from, beside itself: only those below it. See web/README.md. */
const rings: Record<string, string[]> = {
  format: [],
  hooks: ['format'],
  ui: ['hooks'],
  components: ['format', 'hooks', 'ui'],
  api: ['format', 'refs.ts', 'urls.ts'],
  features: ['api', 'components', 'format', 'hooks', 'refs.ts', 'ui', 'urls.ts'],
  pages: ['api', 'components', 'features', 'format', 'hooks', 'refs.ts', 'ui', 'urls.ts'],
  app: ['api', 'components', 'features', 'format', 'hooks', 'pages', 'refs.ts', 'styles', 'ui', 'urls.ts'],
  'refs.ts': [],
  'urls.ts': [],
};

const web = join(src, '../web/src');
const webFiles = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));

test.each(webFiles)('web/src/%s imports only the web page, its libraries and types of the contract', (file) => {
  const text = readFileSync(join(web, file), 'utf8');
  const outside = [...text.matchAll(/^import (type )?[^;]*?from '(\.[^']+)';/gms)].filter(
    ([, , path]) => !join(web, dirname(file), path!).startsWith(web),
  );
  const wrong = outside.filter(
    ([, type, path]) => !type || !join(web, dirname(file), path!).startsWith(join(src, 'contract/')),
  );
  expect(wrong.map(([statement]) => statement)).toEqual([]);
});

test.each(webFiles)('web/src/%s imports only from the rings below it', (file) => {
  const ring = file.split('/')[0]!;
  expect(Object.keys(rings), `web/src/${ring} is a new ring: add it here and in web/README.md`).toContain(ring);
  const text = readFileSync(join(web, file), 'utf8');
  const imported = [...text.matchAll(/(?:from |import |import\()'(\.[^']+)'/g)]
    .map(([, path]) => relative(web, join(web, dirname(file), path!)))
    .filter((path) => !path.startsWith('..')); // the test above is about these
  const wrong = imported.filter((path) => ![ring, ...rings[ring]!].includes(path.split('/')[0]!));
  const message = `web/src/${file} may import from ${[ring, ...rings[ring]!].join(', ')}; it imports ${wrong.join(', ')}. Move the code, or draw the arrow here and in web/README.md.`;
  expect(wrong, message).toEqual([]);
});
