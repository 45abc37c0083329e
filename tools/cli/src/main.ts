import { fileURLToPath } from 'node:url';
import { codeOf } from '#core';
import { runCommandLine } from './program.ts';

// A reader such as `head` may close the pipe early, which is not an error.
process.stdout.on('error', (error) => process.exit(codeOf(error) === 'EPIPE' ? 0 : 1));
// Writes to a closed terminal fail; SIGHUP cancels the work in that case.
process.stderr.on('error', () => undefined);
process.exitCode = await runCommandLine(
  fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''),
  process.argv.slice(2),
);
