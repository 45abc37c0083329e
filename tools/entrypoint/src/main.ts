import { runGate } from './run-gate.ts';

// The first process of a container has no default reaction to signals.
const stop = new AbortController();
const end = (): void => stop.abort();
process.once('SIGTERM', end).once('SIGINT', end);
const code = await runGate(
  process.argv.slice(2),
  { out: (text) => void process.stdout.write(text), err: (text) => void process.stderr.write(text) },
  stop.signal,
);
process.exit(code);
