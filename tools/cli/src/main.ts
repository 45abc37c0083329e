import { fileURLToPath } from 'node:url';
import { runCommandLine } from './program.ts';

process.exitCode = await runCommandLine(fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''), process.argv.slice(2));
