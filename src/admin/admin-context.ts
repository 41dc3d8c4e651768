import type { Config } from '../config.ts';
import type { Graders } from '../evaluation/graders/graders.ts';
import type { Rules } from '../evaluation/rules/rules.ts';
import type { TrainingFromCalls } from '../finetuning/from-calls/training-from-calls.ts';
import type { Identity } from '../identity/identity.ts';
import type { VllmServerState } from '../inference/vllm/servers/vllm-servers.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Deps } from '../services/deps.ts';
import type { Services } from '../services/services.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { ClickHouse } from '../store/clickhouse/clickhouse.ts';
import type { Models } from '../store/models/models.ts';
import type { Databases } from '../store/opened-store.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { StoreHealth, StoreProblem } from '../store/store-health.ts';
import type { StoreState } from '../store/store-states.ts';

/** What operations work on: the open parts of a running server, or of a command that opened them itself. */
export type AdminContext = {
  config: Config;
  identity: Identity;
  postgres: Postgres;
  clickhouse: ClickHouse;
  databases: Databases;
  storeStates(problems: StoreProblem[]): StoreState[];
  health: StoreHealth;
  blobs: Blobs;
  peers: Peers;
  models: Models;
  modelReader: Deps['modelReader'];
  /** Where the server listens; null in a command without a server. */
  address: string | null;
  services: Services;
  jobs: Jobs;
  trainingFromCalls: TrainingFromCalls;
  rules: Rules;
  metrics: Metrics;
  vllmServers(): Promise<VllmServerState[]>;
  graders: Graders;
};
