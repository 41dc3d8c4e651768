import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * Compiles the web page to `web/dist` (`npm run build:web`). `npm start` runs it with `--if-changed`: it then does nothing
 * if `web/dist` was built from the same sources, which takes a few milliseconds to find out.
 */
const web = join(import.meta.dirname, '../web');
const output = join(web, 'dist');
const markFile = join(output, 'sources.sha256');

const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean' } } });
const mark = hashOfSources();
if (!values['if-changed'] || mark !== builtMark()) {
  const start = Date.now();
  process.stderr.write('Building the web page ...\n');
  await buildPage();
  compressAssets();
  writeFileSync(markFile, mark);
  process.stderr.write(`Built the web page in ${((Date.now() - start) / 1000).toFixed(1)} s.\n`);
}

async function buildPage(): Promise<void> {
  process.env.NODE_ENV = 'production'; // otherwise tests, which set another one, would compile React for development
  const { build } = await import('vite'); // loaded only to build
  const { default: configure } = await import('../web/vite.config.ts');
  const config = await configure({ command: 'build', mode: 'production' });
  rmSync(output, { recursive: true, force: true });
  await build({ ...config, configFile: false, logLevel: 'warn' });
}

/** The server sends these files as they are: compressing once allows the slowest, best setting. */
function compressAssets(): void {
  for (const path of globSync('assets/*.{js,css,svg}', { cwd: output })) {
    const file = join(output, path);
    const content = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}

/** The page's own files, and the lock file for what it is compiled from and with. Of the contract, only types are used. */
function hashOfSources(): string {
  const files = globSync(['index.html', 'vite.config.ts', 'package.json', 'src/**/*'], {
    cwd: web,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of [...files.sort(), join(web, '../package-lock.json'), import.meta.filename]) {
    hash
      .update(`${file.slice(web.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function builtMark(): string | null {
  try {
    return readFileSync(markFile, 'utf8');
  } catch {
    return null;
  }
}
