import type { ModelReference } from '../chat/types.ts';
import type { Caller } from '../identity/identity.ts';
import type { Project } from '../services/owner.ts';
import type { ModelRun } from './model-run.ts';
import { NumberedRequests } from './numbered-requests.ts';

type SampleRequest = { requestId: string; sequenceIds: string[] };

/** What a client samples from. */
export type Sampler = {
  id: string;
  base: string;
  /** The path that it was created with; null for a base model. */
  path: string | null;
  model: ModelReference;
  requests: NumberedRequests<SampleRequest>;
  /** How many clients share it. */
  clients: number;
};

/** What one client has created. */
export class Session {
  readonly id: string;
  readonly caller: Caller;
  readonly project: Project;
  readonly displayName: string | null;
  readonly userMetadata: Record<string, unknown> | null;
  /** By the number that the client gave them. */
  readonly models = new NumberedRequests<{ run: ModelRun; requestId: string }>();
  readonly runs = new Map<string, ModelRun>();
  readonly samplers = new Map<string, Sampler>();
  /** Folders of weights that only this session samples from. */
  readonly temporary: string[] = [];
  seenAt = performance.now();

  constructor(given: Pick<Session, 'id' | 'caller' | 'project' | 'displayName' | 'userMetadata'>) {
    this.id = given.id;
    this.caller = given.caller;
    this.project = given.project;
    this.displayName = given.displayName;
    this.userMetadata = given.userMetadata;
  }

  /** @returns the sampler of the number, which a repeated request finds again */
  addSampler(number: number, { base, path, model }: Pick<Sampler, 'base' | 'path' | 'model'>): Sampler {
    const id = `${this.id}:sample:${number}`;
    const existing = this.samplers.get(id);
    if (existing) return existing;
    const sampler = { id, base, path, model, requests: new NumberedRequests<SampleRequest>(), clients: 1 };
    this.samplers.set(id, sampler);
    return sampler;
  }
}
