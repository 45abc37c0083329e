import { expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { checkSecrets } from './check-secrets.ts';

const missing = (expose: Parameters<typeof tinySite>[0], names: readonly string[] = []): void =>
  checkSecrets(tinySite(expose), TINY, new Set(names.map((name) => `Secret/${name}`)));
const issuer = { kind: 'Issuer', name: 'letters' } as const;

it.each([
  ['an Ingress', { expose: { ingress: {} }, tls: { secret: 'certificate' } }, 'Ingress/web-api'],
  [
    'a Gateway',
    { expose: { gateway: { class: 'shiny' } }, tls: { secret: 'certificate' } },
    'Gateway/tiny',
  ],
])('requires the certificate of %s unless an issuer creates it', (_, site, user) => {
  expect(() => missing(site)).toThrow(
    expect.objectContaining({
      code: 'deploy-secret-missing',
      message: `the Secret "certificate" does not exist in the namespace "cloud", and ${user} needs it`,
      hint: 'create it: kubectl -n cloud create secret tls certificate --cert=FILE --key=FILE',
    }),
  );
  missing(site, ['certificate']);
  missing({ ...site, tls: { ...site.tls, issuer } });
});

it('accepts generated Secrets that do not exist', () => missing({}));
