import { CcpError } from '#core';
import { readFakeShell, type FakeAct } from './fake-shell.ts';

/** One step of a fake build. */
export interface FakeStep {
  /** Name in BuildKit's form: `[2/3] RUN echo hello`. */
  readonly name: string;
  readonly instruction: string;
  readonly acts: readonly FakeAct[];
}

const STEPS = new Set(['ADD', 'COPY', 'RUN', 'WORKDIR']);
const SILENT = new Set([
  'ARG',
  'CMD',
  'ENTRYPOINT',
  'ENV',
  'EXPOSE',
  'FROM',
  'LABEL',
  'SHELL',
  'STOPSIGNAL',
  'USER',
  'VOLUME',
]);

/**
 * Parses the Dockerfile syntax that tests need: known instructions, one per line; RUN supports the
 * commands of `readFakeShell`. Throws `build-invalid` for unknown instructions; `doing` is the
 * start of the message.
 */
export function readFakeDockerfile(text: string, doing: string): readonly FakeStep[] {
  const steps = text.split('\n').flatMap((line, index) => {
    const instruction = line.trim();
    const word = instruction.split(/\s/, 1)[0]!.toUpperCase();
    if (word === '' || word.startsWith('#') || SILENT.has(word)) return [];
    if (STEPS.has(word)) return [instruction];
    throw new CcpError({
      code: 'build-invalid',
      message: `cannot ${doing}: dockerfile parse error line ${index + 1}: unknown instruction: ${word}`,
    });
  });
  return steps.map((instruction, index) => ({
    name: `[${index + 1}/${steps.length}] ${instruction}`,
    instruction,
    acts: instruction.startsWith('RUN ') ? readFakeShell(instruction.slice(4)) : [],
  }));
}
