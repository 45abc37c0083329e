import type { Applied } from '#application';
import { omitUndefined } from '#core';
import { resultLines } from '#rollout';
import type { CommandContext } from '../../command.ts';
import { EXIT } from '../../report/exit-codes.ts';
import { resultJson } from '../deploy/run-apply.ts';
import { applicationJson, applicationLines } from './application-text.ts';
import type { CredentialFiles } from './write-credentials.ts';

/** Prints an application after an apply or update; returns the exit code. */
export function printApplied(
  { output }: Pick<CommandContext, 'output'>,
  { record, result }: Applied,
  files: CredentialFiles | undefined,
  { wanted, signal }: { readonly wanted?: string; readonly signal: AbortSignal },
): number {
  output.result(
    [
      ...(result === undefined ? [] : resultLines(result)),
      ...applicationLines(record),
      ...(files === undefined ? [] : [`log in with: . ${files.openrc}`]),
    ].join('\n'),
    {
      ...applicationJson(record),
      ...omitUndefined({ files, deploy: result === undefined ? undefined : resultJson(result) }),
    },
  );
  if (signal.aborted) return EXIT.cancelled;
  // A recovered update is applied, but it is the version before.
  const isWell = record.state === 'applied' && (wanted ?? record.version) === record.version;
  return isWell ? EXIT.done : EXIT.cluster;
}
