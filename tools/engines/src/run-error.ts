import { CcpError, messageOf } from '#core';
import { engineError, type EngineCall } from './engine-error.ts';

/** What an engine says, by 500 or 400, of a command that its image cannot run; the first group is the word that is wrong. */
const REFUSALS = [
  {
    code: 'command-missing',
    words: /exec: "([^"]*)": (?:executable file not found|stat \S+ no such file)/,
    why: (word: string) => `there is no program ${word}`,
    hint: 'name one that the image has',
  },
  {
    code: 'command-not-executable',
    words: /exec: "([^"]*)": (?:permission denied|is a directory)/,
    why: (word: string) => `${word} cannot be executed`,
    hint: 'name a program, or another user that may execute it',
  },
  {
    code: 'user-unknown',
    words: /unable to find (?:user|group) ([^\s:]+)/,
    why: (word: string) => `there is no user or group ${word}`,
    hint: 'name one of its /etc/passwd and /etc/group, or a number',
  },
] as const;

/** The error of ours for what came of starting a container: as `engineError`, or what is wrong with the command or its user. */
export function runError(thrown: unknown, call: EngineCall): unknown {
  const said = messageOf(thrown);
  for (const { code, words, why, hint } of REFUSALS) {
    const word = words.exec(said)?.[1];
    if (word !== undefined) return new CcpError({ code, message: `cannot ${call.doing}: ${why(word)}`, hint, cause: thrown });
  }
  return engineError(thrown, call);
}
