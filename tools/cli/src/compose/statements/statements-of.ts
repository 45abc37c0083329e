import { CcpError } from '#core';
import type { ImageSet } from '#release';
import { readPolicy } from './read-policy.ts';
import { openStatements, type SetStatementInputs } from './set-statements.ts';

/** Flags of commands that publish a set. */
export interface StatementFlags {
  readonly statements: boolean;
  readonly policy?: string;
}

/** The inputs of statements for the flags of a command; undefined with `--no-statements`. */
export function statementsOf(
  root: string,
  set: ImageSet,
  { statements, policy }: StatementFlags,
): SetStatementInputs | undefined {
  if (statements)
    return openStatements(root, set, policy === undefined ? undefined : readPolicy(policy));
  if (policy === undefined) return undefined;
  throw new CcpError({
    code: 'usage',
    message: '--policy and --no-statements cannot be used together',
  });
}
