import { CcpError } from '#core';

/** What one step does in a fake build. */
export interface FakeStep {
  /** As BuildKit names it: `[2/3] RUN echo hello`. */
  readonly name: string;
  readonly instruction: string;
  readonly acts: readonly FakeAct[];
}

export type FakeAct =
  | { readonly act: 'print'; readonly text: string }
  | { readonly act: 'wait'; readonly ms: number }
  | { readonly act: 'exit'; readonly code: number };

const STEPS = new Set(['ADD', 'COPY', 'RUN', 'WORKDIR']);
const SILENT = new Set(['ARG', 'CMD', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'FROM', 'LABEL', 'SHELL', 'STOPSIGNAL', 'USER', 'VOLUME']);

/**
 * Reads the little of a Dockerfile that tests need: every known instruction, and in RUN the commands `echo`, `sleep` and
 * `exit` between `;` and `&&` (any other command succeeds in silence). Raises `build-invalid` for an unknown instruction.
 */
export function readFakeDockerfile(text: string): readonly FakeStep[] {
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n').map((line) => line.trim());
  const instructions = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const steps = instructions.filter((line) => {
    const word = line.split(/\s/, 1)[0]!.toUpperCase();
    if (!STEPS.has(word) && !SILENT.has(word)) {
      throw new CcpError({ code: 'build-invalid', message: `the engine refused the Dockerfile: unknown instruction: ${word}` });
    }
    return STEPS.has(word);
  });
  return steps.map((instruction, index) => ({
    name: `[${index + 1}/${steps.length}] ${instruction}`,
    instruction,
    acts: instruction.startsWith('RUN ') ? instruction.slice(4).split(/;|&&/).flatMap((command) => actOf(command.trim())) : [],
  }));
}

function actOf(command: string): FakeAct[] {
  const [word, ...rest] = command.split(/\s+/);
  if (word === 'echo') return [{ act: 'print', text: `${rest.join(' ')}\n` }];
  if (word === 'sleep') return [{ act: 'wait', ms: Number(rest[0]) * 1000 }];
  if (word === 'exit') return [{ act: 'exit', code: Number(rest[0]) }];
  return [];
}
