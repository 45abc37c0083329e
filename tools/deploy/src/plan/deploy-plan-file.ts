import { CcpError, parseDocument } from '#core';
import { contentOf } from './plan-deploy.ts';
import type { DeployPlan } from './types.ts';

/** A plan as the text of a plan file; it holds references to Secrets, never their values. */
export function deployPlanText(plan: DeployPlan): string {
  return `${JSON.stringify(plan, undefined, 1)}\n`;
}

/** Reads a plan file. Raises `deploy-plan-invalid` for what is none, for another format, and for one that was edited by hand. */
export function parseDeployPlan(text: string, file: string): DeployPlan {
  const refuse = (what: string): CcpError =>
    new CcpError({
      code: 'deploy-plan-invalid',
      message: `${file} is not a plan of a deployment: ${what}`,
      hint: 'make it again: ccp deploy plan SITE -o FILE',
    });
  const plan: Partial<DeployPlan> = parseDocument(text, { invalid: refuse, otherFormat: (what) => refuse(`it ${what}`) });
  if (typeof plan.rendered !== 'object' || !Array.isArray(plan.objects) || !Array.isArray(plan.steps) || !Array.isArray(plan.prune))
    throw refuse('a part of it is missing');
  if (contentOf(plan.rendered) !== plan.content) throw refuse('its objects are not those it was made from');
  return plan as DeployPlan;
}
