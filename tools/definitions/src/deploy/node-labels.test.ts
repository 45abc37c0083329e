import { expect, it } from 'vitest';
import { errorText } from '#core';
import { parseSite } from './read-site.ts';

const found = (label: string): string => {
  try {
    parseSite(
      `schema: 1.0.0\ncluster: { context: x }\nnamespace: x\nseries: "2026.1"\nregistry: r\nregion: R\nroles: { any: ["${label}"] }\nstorage: { default: s }\napps: { web: { nodes: { fast: { labels: ["${label}"] } } } }\n`,
      'site.yaml',
      'x',
    );
    return '';
  } catch (thrown) {
    return errorText(thrown);
  }
};
const RULE =
  'must be a node label: key=value, or key; each has at most 63 letters, digits, dashes, dots and underscores, and a domain and a slash may come before the key';

it.each([
  'a',
  'a=',
  'kubernetes.io/os=linux',
  'openstack-control-plane=enabled',
  `${'k'.repeat(63)}=${'v'.repeat(63)}`,
])('accepts the label %s', (label) => {
  expect(found(label)).toBe('');
});

it.each([
  'a/b/c=x',
  'k'.repeat(64),
  `a=${'v'.repeat(64)}`,
  '-a',
  'a=-',
  '/a',
  'Example.org/a',
  'a=b=c',
])('refuses the label %s', (label) => {
  const quoted = JSON.stringify(label);
  const shown = quoted.length > 60 ? `${quoted.slice(0, 60)}…` : quoted;
  expect(found(label)).toBe(
    `ccp: site.yaml:7:16: roles.any[0] ${RULE}, not ${shown}\nccp: site.yaml:9:42: apps.web.nodes.fast.labels[0] ${RULE}, not ${shown}`,
  );
});
