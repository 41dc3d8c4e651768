import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { deployEnvironment } from './environment.ts';
import { runTool } from './run-tool.ts';

const folder = join(import.meta.dirname, '../../deploy');
const text = readFileSync(join(folder, 'compose.yaml'), 'utf8');
const example = readFileSync(join(folder, '.env.example'), 'utf8');
const secret = 'a1'.repeat(24);

/** As docker compose fills in variables: those that have no default are required. */
function filledIn(given: Record<string, string>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, words) => {
    if (given[name]) return given[name];
    if (kind === '-') return words;
    throw new Error(`${name} is missing: ${words}`);
  });
}

const variables = [...example.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value || secret] as const);

describe.skipIf(!deployEnvironment.isReady())('the compose file (needs the environment of the linters)', () => {
  let services: Record<string, any>;
  beforeAll(async () => {
    const { code, out, err } = await runTool(
      'python',
      [join(import.meta.dirname, 'read_compose.py')],
      filledIn(Object.fromEntries(variables)),
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    services = JSON.parse(out).services;
  });
  const servers = () => Object.entries(services).filter(([name]) => name.startsWith('heddle-'));

  test('yamllint finds nothing', async () => {
    const rules = '{extends: default, rules: {line-length: {max: 140}, document-start: disable}}';
    const files = ['compose.yaml', 'helm/heddle/values.yaml', 'helm/heddle/Chart.yaml'].map((each) =>
      join(folder, each),
    );
    expect(await runTool('yamllint', ['-d', rules, '--strict', ...files])).toEqual({ code: 0, out: '', err: '' });
  });

  test('the servers have valid settings, all of them the same, and a data directory of their own', () => {
    expect(servers().length).toBe(2);
    const [[, first], [, second]] = servers() as [[string, any], [string, any]];
    const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...own } = first.environment;
    expect(readConfig({}, own)).toMatchObject({ secretKey: secret, apiKey: secret, owner: 'team' });
    expect(second.environment).toEqual(first.environment);
    expect(second.volumes).not.toEqual(first.volumes);
  });

  test('a server has the time that draining takes, and a read-only root', () => {
    for (const [, server] of servers()) {
      const { drainDelaySeconds, drainSeconds } = readConfig({}, settingsOf(server));
      expect(seconds(server.stop_grace_period)).toBeGreaterThanOrEqual(drainDelaySeconds + drainSeconds + 15);
      expect(seconds(services.balancer.stop_grace_period)).toBeGreaterThanOrEqual(drainSeconds);
      expect(server).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
    }
  });

  test('servers start after the stores, and the balancer after the servers', () => {
    const healthy = { condition: 'service_healthy' };
    for (const [, server] of servers()) {
      expect(server.depends_on).toMatchObject({ postgres: healthy, clickhouse: healthy, seaweedfs: healthy });
      expect(server.healthcheck.test.join(' ')).toContain('/health/ready');
    }
    expect(services.balancer.depends_on).toEqual({ 'heddle-1': healthy, 'heddle-2': healthy });
    for (const name of ['postgres', 'clickhouse', 'seaweedfs']) expect(services[name].healthcheck.test[0]).toBe('CMD');
  });

  test('only the balancer can be reached from outside, and by default from this machine', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([['balancer', ['127.0.0.1:7400:7400']]]);
  });

  test('every image has a version, and every service a limit of memory', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.image, name).toMatch(/:\d+\.\d+/);
      expect(service.deploy.resources.limits.memory, name).toBeTruthy();
    }
  });
});

test('a missing secret is named', () => {
  const given = new Map(variables);
  for (const name of [
    'POSTGRES_PASSWORD',
    'CLICKHOUSE_PASSWORD',
    'S3_SECRET_KEY',
    'HEDDLE_SECRET_KEY',
    'HEDDLE_API_KEY',
  ]) {
    expect(() => filledIn({ ...Object.fromEntries(given), [name]: '' })).toThrow(`${name} is missing: set it in .env`);
    expect(example).toMatch(new RegExp(`^${name}=$`, 'm')); // the example has no secret
  }
});

function settingsOf(server: { environment: Record<string, string> }): Record<string, string> {
  return Object.fromEntries(Object.entries(server.environment).filter(([name]) => name.startsWith('HEDDLE_')));
}

/** Such as `1m` or `1m30s`. */
function seconds(duration: string): number {
  const [, minutes = 0, rest = 0] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration)!;
  return Number(minutes) * 60 + Number(rest);
}
