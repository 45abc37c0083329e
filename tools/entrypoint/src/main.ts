import { runGate } from './run-gate.ts';

// Process 1 of a container ignores signals that have no handler.
const stop = new AbortController();
const cancel = (): void => stop.abort();
process.once('SIGTERM', cancel).once('SIGINT', cancel);
const code = await runGate(
  process.argv.slice(2),
  {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  },
  stop.signal,
);
process.exit(code);
