import { expect, test } from 'vitest';
import { runError } from './run-error.ts';

const RUNC = '(HTTP code 400) bad parameter - OCI runtime create failed: runc create failed: unable to start container process: ';

test.each([
  [`${RUNC}exec: "nope": executable file not found in $PATH: unknown`, 'command-missing', 'cannot run "nope" in x: there is no program nope'],
  [`${RUNC}exec: "/nope": stat /nope: no such file or directory: unknown`, 'command-missing', 'cannot run "nope" in x: there is no program /nope'],
  [`${RUNC}exec: "/etc/passwd": permission denied: unknown`, 'command-not-executable', 'cannot run "nope" in x: /etc/passwd cannot be executed'],
  [`${RUNC}exec: "/etc": is a directory: unknown`, 'command-not-executable', 'cannot run "nope" in x: /etc cannot be executed'],
  [
    '(HTTP code 500) server error - unable to find user nosuch: no matching entries in passwd file',
    'user-unknown',
    'cannot run "nope" in x: there is no user or group nosuch',
  ],
])('%s', (said, code, message) => {
  const thrown = Object.assign(new Error(said), { statusCode: 400 });
  expect(runError(thrown, { engine: 'unix:///e', doing: 'run "nope" in x', refused: 'run-failed' })).toMatchObject({ code, message });
});
