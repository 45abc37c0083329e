import { CcpError } from '#core';
import { readFakeShell, type FakeAct } from './fake-shell.ts';

/** What one step does in a fake build. */
export interface FakeStep {
  /** As BuildKit names it: `[2/3] RUN echo hello`. */
  readonly name: string;
  readonly instruction: string;
  readonly acts: readonly FakeAct[];
}

const STEPS = new Set(['ADD', 'COPY', 'RUN', 'WORKDIR']);
const SILENT = new Set(['ARG', 'CMD', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'FROM', 'LABEL', 'SHELL', 'STOPSIGNAL', 'USER', 'VOLUME']);

/**
 * Reads the little of a Dockerfile that tests need: every known instruction, one on a line, and in RUN what `readFakeShell`
 * knows. Raises `build-invalid` for an unknown instruction; `doing` begins its message as that of a real engine.
 */
export function readFakeDockerfile(text: string, doing: string): readonly FakeStep[] {
  const steps = text.split('\n').flatMap((line, index) => {
    const instruction = line.trim();
    const word = instruction.split(/\s/, 1)[0]!.toUpperCase();
    if (word === '' || word.startsWith('#') || SILENT.has(word)) return [];
    if (STEPS.has(word)) return [instruction];
    throw new CcpError({ code: 'build-invalid', message: `cannot ${doing}: dockerfile parse error line ${index + 1}: unknown instruction: ${word}` });
  });
  return steps.map((instruction, index) => ({
    name: `[${index + 1}/${steps.length}] ${instruction}`,
    instruction,
    acts: instruction.startsWith('RUN ') ? readFakeShell(instruction.slice(4)) : [],
  }));
}
