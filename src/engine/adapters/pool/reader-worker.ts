import { Transferring } from '../../../util/workers/messages.ts';
import { serveRequests } from '../../../util/workers/serve-requests.ts';
import type { ModelConfig } from '../../models/config.ts';
import { checkAdapter } from '../check-adapter.ts';
import { adapterLayout } from '../layout.ts';
import { linearLayers } from '../linear-layers.ts';
import { type PackedAdapter, packAdapter } from '../pack.ts';
import { inspectPeftFolder, readPeftFolder } from '../peft/read.ts';

const handlers = {
  /** Checks the folder without reading the weights. */
  inspect: ({ folder, config }: { folder: string; config: ModelConfig }): { rank: number } =>
    inspectPeftFolder(folder, linearLayers(config)),

  read({ folder, config }: { folder: string; config: ModelConfig }): Transferring<PackedAdapter> {
    const adapter = readPeftFolder(folder);
    checkAdapter(adapter, config);
    const packed = packAdapter(adapter, adapterLayout(config));
    return new Transferring(packed, [packed.weights.buffer as ArrayBuffer]);
  },
};

export type AdapterReader = typeof handlers;

serveRequests(handlers, { order: 'sequence' });
