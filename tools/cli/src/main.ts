import { fileURLToPath } from 'node:url';
import { codeOf } from '#core';
import { runCommandLine } from './program.ts';

// A reader such as `head` may go before everything is written; that is no failure.
process.stdout.on('error', (error) => process.exit(codeOf(error) === 'EPIPE' ? 0 : 1));
// A terminal that was closed takes no more words; the work is cancelled by SIGHUP and ends in order.
process.stderr.on('error', () => undefined);
process.exitCode = await runCommandLine(fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''), process.argv.slice(2));
