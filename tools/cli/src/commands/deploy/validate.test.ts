import { expect, it } from 'vitest';
import { CcpError, messageOf } from '#core';
import { allOf } from './validate.ts';

const fails = (code: string) => () => Promise.reject(new CcpError({ code, message: code }));

it('collects the findings of all checks but throws other errors immediately', async () => {
  const thrown = await allOf([
    fails('deploy-nodes'),
    () => undefined,
    fails('deploy-ingress-missing'),
  ]).catch((error: unknown) => error);
  expect((thrown as { findings?: readonly CcpError[] }).findings?.map(({ code }) => code)).toEqual([
    'deploy-nodes',
    'deploy-ingress-missing',
  ]);
  expect(
    messageOf(
      await allOf([fails('deploy-nodes'), fails('cluster-unreachable')]).catch(
        (error: unknown) => error,
      ),
    ),
  ).toBe('cluster-unreachable');
});
