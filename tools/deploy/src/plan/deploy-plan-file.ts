import { CcpError } from '#core';
import { contentOf } from './plan-deploy.ts';
import type { DeployPlan } from './types.ts';

/** A plan as the text of a plan file; it holds references to Secrets, never their values. */
export function deployPlanText(plan: DeployPlan): string {
  return `${JSON.stringify(plan, undefined, 1)}\n`;
}

/** Reads a plan file. Raises `deploy-plan-invalid` for what is none, for another format, and for one that was edited by hand. */
export function parseDeployPlan(text: string, file: string): DeployPlan {
  const refuse = (what: string): CcpError => new CcpError({ code: 'deploy-plan-invalid', message: `${file} is not a plan of a deployment: ${what}`, hint: 'make it again: ccp deploy plan SITE -o FILE' });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(`it is not JSON (${(error as Error).message})`);
  }
  if (typeof value !== 'object' || value === null) throw refuse('it is not an object');
  const plan = value as Partial<DeployPlan>;
  if (typeof plan.format !== 'number') throw refuse('it has no format number');
  if (plan.format !== 1) throw refuse(`it has format ${JSON.stringify(plan.format)}, this tool reads format 1`);
  if (typeof plan.rendered !== 'object' || !Array.isArray(plan.objects) || !Array.isArray(plan.steps) || !Array.isArray(plan.prune)) throw refuse('a part of it is missing');
  if (contentOf(plan.rendered) !== plan.content) throw refuse('its objects are not those it was made from');
  return plan as DeployPlan;
}
