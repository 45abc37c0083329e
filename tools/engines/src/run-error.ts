import { CcpError, messageOf } from '#core';
import { engineError, type EngineCall } from './engine-error.ts';

/**
 * Engine messages (status 400 or 500) for commands that cannot run; the first group is the invalid
 * word.
 */
const REFUSALS = [
  {
    code: 'command-missing',
    words: /exec: "([^"]*)": (?:executable file not found|stat \S+ no such file)/,
    reason: (word: string) => `program ${word} not found in the image`,
    hint: 'use a program that the image contains',
  },
  {
    code: 'command-not-executable',
    words: /exec: "([^"]*)": (?:permission denied|is a directory)/,
    reason: (word: string) => `${word} is not executable`,
    hint: 'use an executable file, or a user with permission to execute it',
  },
  {
    code: 'user-unknown',
    words: /unable to find (?:user|group) ([^\s:]+)/,
    reason: (word: string) => `user or group ${word} not found in the image`,
    hint: 'use a name from its /etc/passwd or /etc/group, or a numeric id',
  },
] as const;

/** Like `engineError`, with specific errors for an invalid command or user of a container. */
export function runError(thrown: unknown, call: EngineCall): unknown {
  const message = messageOf(thrown);
  for (const { code, words, reason, hint } of REFUSALS) {
    const word = words.exec(message)?.[1];
    if (word !== undefined)
      return new CcpError({
        code,
        message: `cannot ${call.doing}: ${reason(word)}`,
        hint,
        cause: thrown,
      });
  }
  return engineError(thrown, call);
}
