import { errorText, type CcpError } from '#core';
import { no, yes, type Verdicts } from '../resources/conditions.ts';
import type { ManagedResource } from '../resources/types.ts';
import { RETRY_MS } from './decide.ts';
import { BUSY_MS, RESYNC_MS, type Pass, type PassResult } from './pass.ts';
import type { Report } from './write-status.ts';

/** The result if a failed release cannot be rolled back. */
export function impossible({ resource }: Pass, error: CcpError): PassResult {
  return {
    outcome: 'RollbackImpossible',
    again: RETRY_MS,
    report: {
      ...kept(resource),
      rollback: { allowed: false, reason: error.message.slice(0, 512) },
      verdicts: stalled('RollbackImpossible', errorText(error, false)),
    },
  };
}

/** The result for a resource that is paused. */
export function paused(resource: ManagedResource): PassResult {
  return {
    outcome: 'Paused',
    again: RESYNC_MS,
    report: {
      ...kept(resource),
      verdicts: {
        Ready: {
          status: 'Unknown',
          reason: 'Paused',
          message: 'spec.paused is true: nothing is read or written',
        },
        Reconciling: no('Paused'),
        Stalled: no('Paused'),
        UpgradeAvailable: { status: 'Unknown', reason: 'Paused', message: '' },
      },
    },
  };
}

/** The status after an error that a person fixes, or while another run changes the site. */
export function refused(resource: ManagedResource, error: CcpError): PassResult {
  const message = errorText(error, false);
  if (error.code === 'deploy-locked')
    return {
      outcome: 'Locked',
      again: BUSY_MS,
      report: { ...kept(resource), verdicts: begun('Locked', message) },
    };
  return {
    outcome: error.code,
    again: RETRY_MS,
    report: { ...kept(resource), verdicts: stalled(reasonOf(error.code), message) },
  };
}

/** `deploy-conflict` as the reason of a condition: `DeployConflict`. */
function reasonOf(code: string): string {
  return code.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The parts of the status that a pass without a look at the site leaves as they were. */
export function kept({ status = {} }: ManagedResource): Omit<Report, 'verdicts'> {
  const { conditions: _, observedGeneration: __, ...rest } = status;
  return rest;
}

/** The conditions while work is under way. */
export function begun(reason: string, message: string): Verdicts {
  return {
    Ready: no(reason, message),
    Reconciling: yes(reason, message),
    Stalled: no(reason),
    UpgradeAvailable: no(reason),
  };
}

/** The conditions if only a person can help. */
export function stalled(reason: string, message: string): Verdicts {
  return {
    Ready: no(reason, message),
    Reconciling: no(reason),
    Stalled: yes(reason, message),
    UpgradeAvailable: no(reason),
  };
}
