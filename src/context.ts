import type { Examination, ExamineLimits } from './admin/doctor.ts';
import type { Config } from './config.ts';
import type { Graders } from './evaluation/graders/graders.ts';
import type { Rules } from './evaluation/rules/rules.ts';
import type { TrainingFromCalls } from './finetuning/from-calls/training-from-calls.ts';
import type { Identity } from './identity/identity.ts';
import type { Inference } from './inference/inference.ts';
import type { ModelReader } from './inference/model-reader.ts';
import type { VllmServerState } from './inference/vllm/servers/vllm-servers.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Writers } from './open/writers.ts';
import type { Services } from './services/services.ts';
import type { Blobs } from './store/blobs/blobs.ts';
import type { ClickHouse } from './store/clickhouse/clickhouse.ts';
import type { Disk } from './store/disk/disk.ts';
import type { Locations } from './store/locations/locations.ts';
import type { Models } from './store/models/models.ts';
import type { Databases } from './store/opened-store.ts';
import type { Peers } from './store/peers/peers.ts';
import type { Postgres } from './store/postgres/postgres.ts';
import type { StoreHealth, StoreProblem } from './store/store-health.ts';
import type { StoreState } from './store/store-states.ts';
import type { Tinker } from './tinker/tinker.ts';

/** Everything a handler can be given. Parts meet here and nowhere else. */
export type Context = Writers & {
  config: Config;
  log: Log;
  clickhouse: ClickHouse;
  postgres: Postgres;
  /** Both, with what their kinds know of them. */
  databases: Databases;
  /** All three stores as they are now, given the problems that `health` knows. */
  storeStates(problems: StoreProblem[]): StoreState[];
  blobs: Blobs;
  identity: Identity;
  /** The other processes on these stores. */
  peers: Peers;
  locations: Locations;
  models: Models;
  /** What can be done in a project. */
  services: Services;
  /** Opens models with the first request for them. */
  inference: Inference;
  /** Says what base models are without opening them. */
  modelReader: ModelReader;
  /** The vLLM servers that are set, as this process and those of its models find them. */
  vllmServers(): Promise<VllmServerState[]>;
  /** Work that outlives a request. */
  jobs: Jobs;
  trainingFromCalls: TrainingFromCalls;
  /** What clients of the Tinker API have open here. */
  tinker: Tinker;
  rules: Rules;
  graders: Graders;
  /** Aborts when the process is asked to end: from then on, it starts nothing that outlives a request. */
  draining: AbortSignal;
  /** Starts running jobs. Commands that only open the stores do not call this. @returns what interrupts them */
  startJobs(): Promise<() => Promise<void>>;
  /** Resolves when no request that another process has forwarded is under way. */
  forwardedEnded(): Promise<void>;
  /** Ends what models and providers generate with an error, and waits until that is recorded. */
  interrupt(): Promise<void>;
  /** What is free on the disk of the data. */
  disk: Disk;
  /** Whether the stores answer. */
  health: StoreHealth;
  /** The numbers of this server. */
  metrics: Metrics;
  /** What `heddle doctor` shows of a server at this address. */
  examine(address: string, limits: ExamineLimits): Promise<Examination>;
  /** Finishes what was accepted, then closes the stores and gives the data directory free. */
  close(): Promise<void>;
};
