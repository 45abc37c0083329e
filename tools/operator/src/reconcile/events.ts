import type { DeployEvent, SiteStatus } from '#rollout';

/** Progress of the operator, for logs, metrics and webhooks. */
export type OperatorEvent =
  | {
      readonly type: 'reconciled';
      readonly resource: string;
      readonly outcome: string;
      readonly milliseconds: number;
    }
  | { readonly type: 'deploy'; readonly resource: string; readonly event: DeployEvent }
  | { readonly type: 'drift'; readonly resource: string; readonly objects: readonly string[] }
  | { readonly type: 'ages'; readonly resource: string; readonly ages: SiteStatus['ages'] }
  | {
      readonly type: 'note';
      readonly resource: string;
      readonly reason: string;
      readonly message: string;
      readonly warning: boolean;
    }
  | { readonly type: 'leader'; readonly state: 'waiting' | 'taken' | 'lost' };
