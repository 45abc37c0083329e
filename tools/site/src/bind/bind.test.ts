import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CcpErrors } from '#core';
import { parseAppSpec, parseSite, readAppSpecs, readSite } from '#definitions/deploy';
import { bind, boundOrThrow, contentOf, render } from '../index.ts';
import { appText, testImageSet, siteInputs } from '../testing/site-input.ts';
import { imagesOf } from './images-of.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const appSpecs = readAppSpecs(ROOT);
const site = readSite(ROOT, 'cloud');
const imageSet = testImageSet([
  'openstack-base',
  ...new Set([...appSpecs.values()].flatMap((spec) => [...imagesOf(spec)])),
]);
const input = siteInputs({ parseAppSpec, parseSite });
const FAULTY = input('{ web: { replicas: { wep: 1 } } }', {
  web: appText('web', '', 'env: { A: "${site.regoin}" }'),
});
const MESSAGES = ['"web" has no workload "wep"', 'unknown reference "${site.regoin}"'];

describe('bind', () => {
  it('returns a site that renders to the same content again', () => {
    const [first, second] = [0, 1].map(() => {
      const bound = bind({ site, appSpecs, imageSet });
      expect(bound).toHaveProperty('instances');
      return contentOf(render(boundOrThrow(bound)));
    });
    expect(first).toBe(second);
  });

  it('returns findings as values, of all passes together', () => {
    expect(bind(FAULTY)).toEqual(MESSAGES.map((message) => expect.objectContaining({ message })));
  });

  it.each(Object.keys(site.apps))('does not throw for a cloud without "%s"', (name) => {
    const { [name]: _, ...apps } = site.apps;
    const found = bind({ site: { ...site, apps }, appSpecs, imageSet });
    const codes = 'site' in found ? [] : found.map(({ code }) => code);
    const known = ['provider-missing', 'site-invalid', 'reference-unknown'];
    expect(codes.filter((code) => !known.includes(code))).toEqual([]);
  });
});

describe('boundOrThrow', () => {
  it('throws all findings together', () => {
    const thrown = expect.objectContaining({
      findings: MESSAGES.map((message) => expect.objectContaining({ message })),
    });
    expect(() => boundOrThrow(bind(FAULTY))).toThrow(thrown);
    expect(() => boundOrThrow(bind(FAULTY))).toThrow(CcpErrors);
  });
});
