import { codeOf, messageOf } from '#core';
import {
  applySite,
  readNewest,
  replaceData,
  resultLines,
  type ActionRequest,
  type ActionResult,
} from '#rollout';
import type { CommandContext } from '../../command.ts';
import { actionLines, EXIT_OF_RUN } from '../../report/action-lines.ts';
import { EXIT } from '../../report/exit-codes.ts';
import type { RunningSite } from './open-site.ts';
import { applyChoices, resultJson, type ApplyFlags } from './run-apply.ts';

/**
 * Runs an action that replaces data and prints the result: the services that use the data stop, and
 * an apply of the newest revision starts them again, after a run that was good or has changed
 * nothing. Nothing stops if the check before it fails. Resolves with the exit code.
 */
export async function restoreData(
  { output }: CommandContext,
  { site, cluster, engine }: RunningSite,
  request: ActionRequest,
  { stayStopped, ...flags }: ApplyFlags & { readonly stayStopped: boolean },
): Promise<number> {
  const { rendered } = await readNewest(cluster, site);
  const result = await replaceData(cluster, site, rendered, request, engine);
  if (result.run.action !== request.action.id) {
    const again =
      result.run.state === 'running' ? '' : `, because ${result.run.action} must succeed first`;
    const text = `${request.action.id} did not start and nothing was stopped${again}`;
    output.result([...actionLines(result), text].join('\n'), result);
    return EXIT_OF_RUN[result.run.state];
  }
  const next = nextText(site.name, result, stayStopped);
  if (next !== undefined) {
    output.result([...actionLines(result), next].join('\n'), result);
    return EXIT_OF_RUN[result.run.state];
  }
  const applied = await applySite(cluster, site, rendered, {
    ...engine,
    ...applyChoices(flags, site),
  }).catch((thrown: unknown) => {
    // An earlier run is incomplete, and this one has changed nothing.
    if (codeOf(thrown) === 'deploy-data-incomplete') return messageOf(thrown);
    throw thrown;
  });
  if (typeof applied === 'string') {
    output.result([...actionLines(result), applied].join('\n'), result);
    return EXIT.cluster;
  }
  output.result([...actionLines(result), ...resultLines(applied)].join('\n'), {
    ...result,
    applied: resultJson(applied),
  });
  if (applied.state === 'cancelled') return EXIT.cancelled;
  if (applied.state === 'failed') return EXIT.cluster;
  return EXIT_OF_RUN[result.run.state];
}

/** What to do where the services stay stopped; `undefined` if they start again. */
function nextText(site: string, { run }: ActionResult, stayStopped: boolean): string | undefined {
  if (run.state === 'running')
    return 'the services that use the data stay stopped until it has ended';
  if (run.incomplete === true)
    return 'the data may be incomplete, so the services that use it stay stopped: run the action again, with the same parameters or with another backup';
  return stayStopped
    ? `the services that use the data stay stopped; start them with ccp deploy rollback ${site} or ccp deploy apply ${site}`
    : undefined;
}
