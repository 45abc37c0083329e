import { expect, it } from 'vitest';
import { runError } from './run-error.ts';

const RUNC =
  '(HTTP code 400) bad parameter - OCI runtime create failed: runc create failed: unable to start container process: ';

it.each([
  [
    `${RUNC}exec: "nope": executable file not found in $PATH: unknown`,
    'command-missing',
    'cannot run "nope" in x: program nope not found in the image',
  ],
  [
    `${RUNC}exec: "/nope": stat /nope: no such file or directory: unknown`,
    'command-missing',
    'cannot run "nope" in x: program /nope not found in the image',
  ],
  [
    `${RUNC}exec: "/etc/passwd": permission denied: unknown`,
    'command-not-executable',
    'cannot run "nope" in x: /etc/passwd is not executable',
  ],
  [
    `${RUNC}exec: "/etc": is a directory: unknown`,
    'command-not-executable',
    'cannot run "nope" in x: /etc is not executable',
  ],
  [
    '(HTTP code 500) server error - unable to find user nosuch: no matching entries in passwd file',
    'user-unknown',
    'cannot run "nope" in x: user or group nosuch not found in the image',
  ],
])('explains %s', (engineMessage, code, message) => {
  const thrown = Object.assign(new Error(engineMessage), { statusCode: 400 });
  expect(
    runError(thrown, { engine: 'unix:///e', doing: 'run "nope" in x', refused: 'run-failed' }),
  ).toMatchObject({ code, message });
});
