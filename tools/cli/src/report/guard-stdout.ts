import { fstatSync, writeSync } from 'node:fs';
import { codeOf, errorText, fileFault } from '#core';
import { EXIT, exitCodeOf } from './exit-codes.ts';

/**
 * Ends this process if its standard output cannot be written: without a text if the reader, such as
 * `head`, closed the pipe, else with the reason on stderr and the exit code of the machine.
 */
export function guardStdout(): void {
  const { stdout, stderr } = process;
  stdout.on('error', (error) => {
    if (codeOf(error) === 'EPIPE') process.exit(EXIT.done);
    const fault = fileFault(error, 'write', 'standard output');
    stderr.write(`${errorText(fault, false)}\n`);
    process.exit(exitCodeOf(fault));
  });
  // Node writes to a file once and ignores that a full disk took only a part (checked on 24.19).
  if (!fstatSync(1).isFile()) return;
  let written = 0;
  Object.defineProperty(stdout, 'bytesWritten', { get: () => written });
  stdout._write = (chunk: Buffer, _encoding, done) => {
    try {
      for (let at = 0; at < chunk.length;) at += writeSync(1, chunk, at);
      // As other streams count: ci/start.ts asks for it.
      written += chunk.length;
    } catch (error) {
      return done(error as Error);
    }
    done();
  };
}
