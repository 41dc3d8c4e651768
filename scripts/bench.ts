import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** `npm run bench -- NAME [options]` answers one question of speed; without a name it lists them. */

const folder = new URL('../bench/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3));
const [name, ...options] = process.argv.slice(2);

if (name !== undefined && names.includes(name)) {
  const { status } = spawnSync(process.execPath, [new URL(`${name}.ts`, folder).pathname, ...options], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else {
  process.stdout.write(`Usage: npm run bench -- NAME\n\n${names.map((each) => `  ${each}\n`).join('')}`);
  process.exitCode = name === undefined ? 0 : 2;
}
