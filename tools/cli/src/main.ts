import { fileURLToPath } from 'node:url';
import { runCommandLine } from './program.ts';
import { EXIT } from './report/exit-codes.ts';
import { guardStdout } from './report/guard-stdout.ts';
import { handlePendingSignals } from './report/pending-signals.ts';

guardStdout();
// Writes to a closed terminal fail; SIGHUP cancels the work in that case.
process.stderr.on('error', () => undefined);
process.exitCode = await runCommandLine(
  fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''),
  process.argv.slice(2),
);
await handlePendingSignals();
// Otherwise a connection or a program that ignores the cancellation would keep the process alive.
if (process.exitCode === EXIT.cancelled) process.exit();
