import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { endpoints } from '../../contract/endpoints.ts';
import { giveWay } from '../../util/give-way.ts';
import { parseBody } from './parse-body.ts';
import { sendValue, toFailure, type WorkerAnswer } from './transfer.ts';

/** The thread that parses large bodies. It knows the contract and nothing else: no store may be loaded here. */
const { pieces } = workerData as { pieces: MessagePort };

giveWay();
parentPort!.on('message', ({ index, blocks }: { index: number; blocks: Uint8Array[] }) => {
  parentPort!.postMessage(answerTo(index, blocks));
});

function answerTo(index: number, blocks: Uint8Array[]): WorkerAnswer {
  try {
    return sendValue(parseBody(endpoints[index]!, Buffer.concat(blocks).toString()), pieces);
  } catch (error) {
    return { failure: toFailure(error) };
  }
}
