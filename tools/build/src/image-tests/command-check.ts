import { lastPrinted } from './finding-text.ts';
import type { CommandResult } from './probe-records.ts';
import type { CommandExpectation, Finding, ImageExpectations } from './types.ts';
import { mentionsVersion, upstreamVersion } from './version-text.ts';

/** What is wrong with how a command ended; `result` is absent where the container ended before it. */
export function commandFindings(command: CommandExpectation, result: CommandResult | undefined, versions: ImageExpectations['versions']): readonly Finding[] {
  const text = faultOf(command, result, versions);
  return text === undefined ? [] : [{ check: 'command', message: `${command.name}: \`${command.run.join(' ')}\` ${text}` }];
}

function faultOf(
  { exitCode, stdout, version }: CommandExpectation,
  result: CommandResult | undefined,
  versions: ImageExpectations['versions'],
): string | undefined {
  if (result === undefined) return 'was not run, since the container ended before it';
  const { output } = result;
  if (result.exitCode === 124) return `did not end in time; ${lastPrinted(output)}`;
  if (result.exitCode === 137 && exitCode !== 137)
    return `was killed: it did not end in time and left SIGTERM unheard, or killed itself; ${lastPrinted(output)}`;
  if (result.exitCode !== exitCode) return `ended with exit code ${result.exitCode} instead of ${exitCode}; ${lastPrinted(output)}`;
  if (stdout !== undefined && !output.includes(stdout)) return `does not print ${JSON.stringify(stdout)}; ${lastPrinted(output)}`;
  if (version === undefined) return undefined;
  const locked = lockedVersion(version, versions);
  if (locked === undefined) return `cannot be held against the lock, which has no source, Go program, Python project or Debian package ${version}`;
  if (mentionsVersion(output, locked)) return undefined;
  return `does not name ${locked}, the locked version of ${version}; ${lastPrinted(output)}`;
}

/** The version as a program would print it; a source goes before a Go program, that before a Python project and a Debian package. */
function lockedVersion(name: string, { sources, go, python, debian }: ImageExpectations['versions']): string | undefined {
  return sources[name] ?? go[name] ?? python[name] ?? (debian[name] === undefined ? undefined : upstreamVersion(debian[name]));
}
