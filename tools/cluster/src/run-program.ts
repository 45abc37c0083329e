import { CcpError, messageOf } from '#core';
import { runTool } from '#host';

export interface ProgramOptions {
  /** Working directory; default: that of this process. */
  readonly folder?: string;
  /** Variables added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text for its stdin. */
  readonly input?: string;
}

/** Lines of output that an error shows. */
const SHOWN_LINES = 15;

/**
 * Runs a program and resolves with its stdout. Throws `machine-command` with its last output lines
 * if it fails.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { folder, env, input }: ProgramOptions = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await runTool(program, args, {
    folder,
    env: { ...process.env, ...env },
    input,
  }).catch((cause: unknown) => {
    throw failed(program, args, messageOf(cause), cause);
  });
  if (exitCode === 0) return stdout;
  const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-SHOWN_LINES);
  throw failed(program, args, `exited with code ${exitCode}\n${lines.join('\n')}`);
}

function failed(
  program: string,
  args: readonly string[],
  reason: string,
  cause?: unknown,
): CcpError {
  return new CcpError({
    code: 'machine-command',
    message: `the command \`${program} ${args.join(' ')}\` failed: ${reason}`,
    cause,
  });
}
