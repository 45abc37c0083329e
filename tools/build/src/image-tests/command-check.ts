import { lastPrinted } from './finding-text.ts';
import type { CommandResult } from './probe-records.ts';
import type { CommandExpectation, Finding, ImageExpectations } from './types.ts';
import { mentionsVersion, upstreamVersion } from './version-text.ts';

/** Findings about a command's result; `result` is undefined if the container exited before it. */
export function commandFindings(
  command: CommandExpectation,
  result: CommandResult | undefined,
  versions: ImageExpectations['versions'],
): readonly Finding[] {
  const text = faultOf(command, result, versions);
  return text === undefined
    ? []
    : [{ check: 'command', message: `${command.name}: \`${command.run.join(' ')}\` ${text}` }];
}

/** Says that a command was run again, if so. */
export function repeatedText({ repeatedSeconds }: CommandResult): string {
  return repeatedSeconds === undefined
    ? ''
    : `, also when it was run again alone for ${repeatedSeconds} s`;
}

function faultOf(
  { exitCode, stdout, version }: CommandExpectation,
  result: CommandResult | undefined,
  versions: ImageExpectations['versions'],
): string | undefined {
  if (result === undefined) return 'was not run: the container exited before it';
  const { output } = result;
  if (result.exitCode === 124) return `timed out${repeatedText(result)}; ${lastPrinted(output)}`;
  if (result.exitCode === 137 && exitCode !== 137)
    return `was killed${repeatedText(result)}: it timed out and ignored SIGTERM, or killed itself; ${lastPrinted(output)}`;
  if (result.exitCode !== exitCode)
    return `exited with code ${result.exitCode} instead of ${exitCode}; ${lastPrinted(output)}`;
  if (stdout !== undefined && !output.includes(stdout))
    return `does not print ${JSON.stringify(stdout)}; ${lastPrinted(output)}`;
  if (version === undefined) return undefined;
  const locked = lockedVersion(version, versions);
  if (locked === undefined)
    return `has no version to compare with: the lock has no source, Go program, Python project or Debian package ${version}`;
  if (mentionsVersion(output, locked)) return undefined;
  return `does not print ${locked}, the locked version of ${version}; ${lastPrinted(output)}`;
}

/**
 * The locked version as a program would print it, from the first match among sources, Go programs,
 * Python projects and Debian packages.
 */
function lockedVersion(
  name: string,
  { sources, go, python, debian }: ImageExpectations['versions'],
): string | undefined {
  return (
    sources[name] ??
    go[name] ??
    python[name] ??
    (debian[name] === undefined ? undefined : upstreamVersion(debian[name]))
  );
}
