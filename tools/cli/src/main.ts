import { fileURLToPath } from 'node:url';
import { runCommandLine } from './program.ts';
import { guardStdout } from './report/guard-stdout.ts';

guardStdout();
// Writes to a closed terminal fail; SIGHUP cancels the work in that case.
process.stderr.on('error', () => undefined);
process.exitCode = await runCommandLine(
  fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''),
  process.argv.slice(2),
);
