import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { endpointAt } from '../../contract/endpoints.ts';
import { toErrorData } from '../../util/error-data.ts';
import { parseBody } from './parse-body.ts';
import { sendValue, type WorkerAnswer } from './transfer.ts';

/** The thread that parses large bodies. It knows the contract and nothing else: no store may be loaded here. */
const { pieces } = workerData as { pieces: MessagePort };

parentPort!.on('message', ({ endpoint, bytes }: { endpoint: string; bytes: Uint8Array }) => {
  parentPort!.postMessage(answerTo(endpoint, bytes));
});

function answerTo(endpoint: string, bytes: Uint8Array): WorkerAnswer {
  try {
    return sendValue(parseBody(endpointAt(endpoint), Buffer.from(bytes.buffer).toString()), pieces);
  } catch (error) {
    return { failure: toErrorData(error) };
  }
}
