import { text } from 'node:stream/consumers';
import type { DeploymentId } from '../deployment-id.ts';
import type { Blobs } from './blobs.ts';

const key = 'heddle-deployment';

export function blobsDeployment(blobs: Blobs): DeploymentId {
  return {
    async read() {
      const found = await blobs.get(key);
      return found && (await text(found.stream)).trim();
    },
    write: (id) => blobs.put(key, Buffer.from(id)),
  };
}
