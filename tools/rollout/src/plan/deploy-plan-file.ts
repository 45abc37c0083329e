import { CcpError, parseDocument } from '#core';
import { contentOf } from '#site';
import type { DeployPlan } from './types.ts';

/** A plan as the text of a plan file. It contains references to Secrets, never their values. */
export function deployPlanText(plan: DeployPlan): string {
  return `${JSON.stringify(plan, undefined, 1)}\n`;
}

/**
 * Reads a plan file. Throws `deploy-plan-invalid` if the text is not a plan, has another format, or
 * was edited.
 */
export function parseDeployPlan(text: string, file: string): DeployPlan {
  const refuse = (what: string): CcpError =>
    new CcpError({
      code: 'deploy-plan-invalid',
      message: `${file} is not a deployment plan: ${what}`,
      hint: 'make it again: ccp deploy plan SITE -o FILE',
    });
  const plan: Partial<DeployPlan> = parseDocument(text, {
    invalid: refuse,
    otherFormat: (what) => refuse(`it ${what}`),
  });
  if (
    typeof plan.rendered !== 'object' ||
    !Array.isArray(plan.objects) ||
    !Array.isArray(plan.steps) ||
    !Array.isArray(plan.prune)
  )
    throw refuse('a required part is missing');
  if (contentOf(plan.rendered) !== plan.content)
    throw refuse('its rendered objects do not match its content hash');
  return plan as DeployPlan;
}
