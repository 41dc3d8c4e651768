/**
 * A run of the graph holds up the main thread for seconds, and no message of the parent's end arrives there meanwhile.
 * This thread sees that the process has another parent, and ends it.
 */
const parent = process.ppid;
const checkMs = 500;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, checkMs);
