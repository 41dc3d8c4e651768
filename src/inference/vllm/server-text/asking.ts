import type { ServerPlan } from '../../../chat/plan/server-plan.ts';
import type { HostRequest } from '../../../chat/types.ts';
import type { ServerTextContext } from '../../hosts/server-text.ts';
import type { Capabilities } from '../servers/probe.ts';
import type { VllmRequest } from '../servers/send-to-one.ts';
import type { VllmServers } from '../servers/vllm-servers.ts';

/** A request that servers are asked for. */
export type Asking = Pick<ServerTextContext, 'fault'> & {
  servers: Pick<VllmServers, 'chat' | 'chatWhole' | 'complete' | 'completeWhole' | 'detokenize'>;
  request: HostRequest;
  plan: ServerPlan;
  /** What all servers of the model can do. */
  can: Capabilities;
  /** The request that has this body. */
  ask: Ask;
};

export type Ask = (body: Record<string, unknown>) => VllmRequest;
