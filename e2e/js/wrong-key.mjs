// With a key that is not valid the first question is refused.
import * as weave from 'weave';

const client = await weave.init(process.argv[2]);
try {
  await client.getCalls();
} catch (error) {
  process.stdout.write(`${JSON.stringify({ status: error.status, reason: error.error ?? null })}\n`);
}
