import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Run after `npm install` of something new: `npm run complete-lock`. Packages with programs in them come in one variant
 * for each platform, as optional dependencies. A registry may not hold all variants; npm then leaves them out of the lock
 * file, and `npm ci` refuses a lock file without them. This adds an entry for each, so that a clone installs anywhere.
 */

type Entry = { version?: string; optional?: boolean; dev?: boolean; os?: string[]; cpu?: string[] };
type Lock = { packages: Record<string, Entry & { optionalDependencies?: Record<string, string> }> };

const systems = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openharmony'];
const processors = ['x64', 'arm64', 'arm', 'armv7', 'ia32', 'ppc64', 'riscv64', 's390x'];

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] || lock.packages[`${path}/${place}`]) continue;
    const words = name.split(/[-/]/);
    const os = systems.find((each) => words.includes(each));
    const cpu = processors.find((each) => words.includes(each));
    if (!os) continue; // not a variant for a platform
    lock.packages[place] = {
      version,
      ...(cpu ? { cpu: [cpu.replace('armv7', 'arm')] } : {}),
      ...(dev ? { dev } : {}),
      optional: true,
      os: [os],
    };
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
