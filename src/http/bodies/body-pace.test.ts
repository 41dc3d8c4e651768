import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openPace } from './body-pace.ts';

test('a refused body that does not end is closed, also one of an injected request, whose socket cannot be destroyed', async () => {
  const pace = openPace({ bytesPerSecondMin: 1, secondsMax: 2 }, 5);
  onTestFinished(() => pace.close());
  const request = Object.assign(new Readable({ read() {} }), { socket: { bytesRead: 0 } });
  pace.discard(request as unknown as IncomingMessage);
  await expect.poll(() => request.destroyed).toBe(true);
});
