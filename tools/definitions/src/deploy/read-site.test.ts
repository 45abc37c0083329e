import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REPOSITORY_ROOT, thrownFindings } from '../testing/app-spec-findings.ts';
import { parseSite, readSite } from './index.ts';

describe('sites', () => {
  const SITE = readFileSync(`${REPOSITORY_ROOT}/deploy-specs/example/site.yaml`, 'utf8');

  it('suggests the nearest site name', () => {
    expect(thrownFindings(() => readSite(REPOSITORY_ROOT, 'exmaple'))).toEqual([
      ' site "exmaple" not found in deploy-specs (did you mean "example"?)',
    ]);
  });

  it.each([
    [
      'a tag in the registry',
      SITE.replace('registry.example.org/ccp', 'registry.example.org/ccp:latest'),
      'registry must be a registry without scheme or tag: HOST[:PORT]/PATH, not "registry.example.org/ccp:latest"',
    ],
    [
      'a namespace that is not a DNS label',
      SITE.replace('namespace: openstack', 'namespace: open_stack'),
      'namespace must be a DNS label: lower-case letters, digits and dashes, at most 42 characters, not "open_stack"',
    ],
    [
      'an origin with a path',
      SITE.replace('identity.example.org', 'identity.example.org/v3'),
      'apps.keystone.hosts.api must be an origin like https://identity.example.org, not "https://identity.example.org/v3"',
    ],
    [
      'a series that is a number',
      SITE.replace('"2026.1"', '2026.1'),
      'series must be text, not the number 2026.1',
    ],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseSite(text, 'site.yaml', 'x')).toThrow(expect.objectContaining({ message }));
  });

  it.each(['Prod', 'a/b', '-x', 'x'.repeat(31)])(
    'refuses the site name %j, which object names cannot contain',
    (name) => {
      expect(() => parseSite(SITE, 'site.yaml', name)).toThrow(
        'the name of a site must be a DNS label of at most 30 lower-case letters, digits and dashes',
      );
    },
  );

  it('exists for every folder of deploy-specs', () => {
    expect(existsSync(`${REPOSITORY_ROOT}/deploy-specs/example/site.yaml`)).toBe(true);
    expect(readSite(REPOSITORY_ROOT, 'example').apps).toHaveProperty('keystone');
  });
});
