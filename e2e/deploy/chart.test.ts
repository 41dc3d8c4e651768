import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { environmentName, readConfig, type SettingName, settings } from '../../src/config.ts';
import { deployEnvironment } from './environment.ts';
import { runTool } from './run-tool.ts';

const chart = join(import.meta.dirname, '../../deploy/helm/heddle');
const kubernetes = '1.37';

const stores = {
  postgresUrl: 'postgres://heddle:password@db:5432/heddle?sslmode=verify-full',
  clickhouseUrl: 'https://heddle:password@ch:8443/heddle',
  blobsUrl: 's3://bucket?region=eu-central-1',
  secretKey: '0f'.repeat(32),
  apiKey: '1a'.repeat(24),
};
const least = { image: { repository: 'registry.example/heddle' }, stores };

const everything = {
  ...least,
  image: { repository: 'registry.example/heddle', digest: `sha256:${'0a'.repeat(32)}` },
  stores: {
    ...stores,
    postgresDirectUrl: 'postgres://heddle:password@direct:5432/heddle',
    awsAccessKeyId: 'id',
    awsSecretAccessKey: 'key',
  },
  imagePullSecrets: [{ name: 'registry' }],
  publicUrl: 'https://heddle.example',
  trustedProxies: '10.0.0.0/8',
  drainDelaySeconds: 10,
  drainSeconds: 600,
  settings: { HEDDLE_POSTGRES_CONNECTIONS_MAX: '20', HEDDLE_CHAT_RUNNING_MAX: '8' },
  extraEnv: [{ name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } }],
  data: { persistent: true, size: '100Gi', storageClass: 'fast' },
  autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 9, cpu: 60, requestsInFlight: 50 },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/heddle' } },
  service: { annotations: { a: 'b' } },
  ingress: { enabled: true, className: 'nginx', host: 'heddle.example', tlsSecret: 'tls', annotations: { a: 'b' } },
  gateway: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }], hostnames: ['heddle.example'] },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, apiKeySecret: { name: 'metrics' } },
  podAnnotations: { a: 'b' },
  podLabels: { team: 'ml' },
  nodeSelector: { pool: 'models' },
  tolerations: [{ key: 'models', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  priorityClassName: 'high',
};

const smallest = {
  image: { repository: 'heddle', tag: 'dev' },
  existingSecret: 'heddle-stores',
  replicas: 1,
  data: { persistent: false },
  podDisruptionBudget: { enabled: false },
  serviceAccount: { create: false },
};

/** Values that are refused, and what the message says. */
const refused: [object, RegExp][] = [
  [{ stores }, /image\.repository is missing/],
  [{ ...least, stores: { ...stores, secretKey: '' } }, /stores\.secretKey is missing: set it, or existingSecret/],
  [{ ...least, stores: { ...stores, secretKey: 'short' } }, /secretKey/],
  [{ ...least, stores: { ...stores, postgresUrl: 'mysql://db' } }, /postgresUrl/],
  [{ ...least, existingSecret: 'other' }, /existingSecret and stores are both set/],
  [{ ...least, replicas: 0 }, /replicas/],
  [{ ...least, replicaCount: 3 }, /replicaCount/],
  [{ ...least, drainSeconds: '30s' }, /drainSeconds/],
  [{ ...least, settings: { LOG_LEVEL: 'debug' } }, /LOG_LEVEL/],
  [{ ...least, settings: { HEDDLE_DRAIN_SECONDS: '60' } }, /HEDDLE_DRAIN_SECONDS has a value of its own/],
  [{ ...least, autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } }, /minReplicas is greater/],
  [{ ...least, autoscaling: { enabled: true, cpu: 0 } }, /autoscaling needs/],
  [{ ...least, ingress: { enabled: true } }, /ingress\.host is missing/],
  [{ ...least, gateway: { enabled: true } }, /gateway\.parentRefs is missing/],
  [{ ...least, serviceMonitor: { enabled: true } }, /requires an API key/],
];

type Rendered = { documents: any[]; notes: string; faults: string[]; error?: string };

describe.skipIf(!deployEnvironment.isReady())('the chart (needs the environment of the linters)', () => {
  let lint: { errors: unknown[]; messages: { error: string }[] };
  let rendered: Rendered[];
  beforeAll(async () => {
    const sets = [least, everything, smallest, ...refused.map(([values]) => values)];
    const words = [join(import.meta.dirname, 'render.py'), chart, kubernetes];
    const { code, out, err } = await runTool('python', words, JSON.stringify(sets));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    ({ lint, rendered } = JSON.parse(out));
  });
  const accepted = () => rendered.slice(0, 3);
  const of = ({ documents }: Rendered, kind: string) => documents.find((each) => each.kind === kind);
  const podOf = (each: Rendered) => of(each, 'StatefulSet').spec.template.spec;

  test('helm lint finds nothing, and the schemas of Kubernetes accept all that is rendered', () => {
    expect(lint.errors).toEqual([]);
    expect(lint.messages.map(({ error }) => error)).toEqual(['icon is recommended']);
    expect(accepted().map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    const withoutSchema = ['HTTPRoute example-heddle: no schema', 'ServiceMonitor example-heddle: no schema'];
    expect(accepted().map(({ faults }) => faults.sort())).toEqual([[], withoutSchema, []]);
    const kinds = accepted().map(({ documents }) => documents.length);
    expect(kinds).toEqual([6, 11, 3]);
  });

  test('bad values are refused by name', () => {
    const errors = rendered.slice(3).map(({ error }) => error ?? 'accepted');
    for (const [index, [, message]] of refused.entries()) expect(errors[index]).toMatch(message);
  });

  test('every variable is a setting with a valid value', () => {
    const known = (Object.keys(settings) as SettingName[]).map(environmentName);
    for (const each of accepted()) {
      const env: { name: string; value?: string }[] = podOf(each).containers[0].env;
      expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
      const own = env.filter(({ name }) => name.startsWith('HEDDLE_'));
      const variables = Object.fromEntries(own.map(({ name, value }) => [name, value]));
      const fromSecret = of(each, 'Secret')?.stringData ?? {};
      for (const name of Object.keys(fromSecret))
        expect([...known, 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']).toContain(name);
      const ownSecrets = Object.entries<string>(fromSecret).filter(([name]) => name.startsWith('HEDDLE_'));
      expect(readConfig({}, { ...variables, ...Object.fromEntries(ownSecrets) })).toMatchObject({
        host: '0.0.0.0',
        port: 7400,
      });
    }
    expect(of(rendered[1]!, 'Secret').stringData).toMatchObject({
      HEDDLE_POSTGRES_URL: stores.postgresUrl,
      HEDDLE_SECRET_KEY: stores.secretKey,
      AWS_SECRET_ACCESS_KEY: 'key',
    });
  });

  test('no secret is outside of the Secret', () => {
    for (const { documents, notes } of accepted()) {
      const others = JSON.stringify([notes, documents.filter(({ kind }) => kind !== 'Secret')]);
      for (const each of [stores.secretKey, stores.apiKey, 'password']) expect(others).not.toContain(each);
    }
    expect(podOf(rendered[2]!).containers[0].envFrom).toEqual([{ secretRef: { name: 'heddle-stores' } }]);
  });

  test('a pod has the time that draining takes, and its probes ask existing paths', () => {
    for (const each of accepted()) {
      const pod = podOf(each);
      const [{ env, livenessProbe, readinessProbe, lifecycle }] = pod.containers;
      const value = (name: string) => Number(env.find((variable: any) => variable.name === name).value);
      const draining = value('HEDDLE_DRAIN_DELAY_SECONDS') + value('HEDDLE_DRAIN_SECONDS');
      expect(pod.terminationGracePeriodSeconds).toBe(draining + 25);
      expect(livenessProbe.httpGet).toEqual({ path: '/health', port: 'http' });
      expect(readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'http' });
      const noticed = readinessProbe.periodSeconds * readinessProbe.failureThreshold;
      expect(noticed).toBeLessThan(value('HEDDLE_DRAIN_DELAY_SECONDS'));
      expect(lifecycle).toBeUndefined();
    }
  });

  test('a pod has no rights, and gets no variables of Services, which heddle would reject', () => {
    for (const each of accepted()) {
      const pod = podOf(each);
      expect(pod).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false });
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
      expect(pod.containers[0].securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  test('selectors match the pods and nothing else of the chart', () => {
    for (const each of accepted()) {
      const { labels } = of(each, 'StatefulSet').spec.template.metadata;
      const services = each.documents.filter(({ kind }) => kind === 'Service');
      for (const { spec } of services) expect(labels).toMatchObject(spec.selector);
      for (const kind of ['PodDisruptionBudget', 'NetworkPolicy']) {
        const { matchLabels } = of(each, kind)?.spec.selector ?? of(each, kind)?.spec.podSelector ?? {};
        if (matchLabels) expect(labels).toMatchObject(matchLabels);
      }
      expect(services.map(({ metadata }) => metadata.name)).toContain(of(each, 'StatefulSet').spec.serviceName);
    }
    const { matchLabels } = of(rendered[1]!, 'ServiceMonitor').spec.selector;
    const monitored = rendered[1]!.documents.filter(
      ({ kind, metadata }) =>
        kind === 'Service' && Object.entries(matchLabels).every(([name, value]) => metadata.labels[name] === value),
    );
    expect(monitored.map(({ metadata }) => metadata.name)).toEqual(['example-heddle-pods']); // once, not twice
  });

  test('the autoscaler decides the number of pods where there is one', () => {
    expect(of(rendered[0]!, 'StatefulSet').spec.replicas).toBe(2);
    expect(of(rendered[1]!, 'StatefulSet').spec.replicas).toBeUndefined();
    const { minReplicas, metrics } = of(rendered[1]!, 'HorizontalPodAutoscaler').spec;
    expect([minReplicas, metrics[0].resource.name]).toEqual([3, 'cpu']);
    expect(metrics[1].pods.metric.name).toBe('heddle_http_requests_in_flight');
  });
});
