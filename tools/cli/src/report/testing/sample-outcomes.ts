import type { BuildEvent, BuildResult, Outcome } from '#build';
import { digestOf, imageName, platform, series, sha256, type Fingerprint } from '#core';

const base = (name: string) => ({
  image: imageName(name),
  fingerprint: sha256(name) as string as Fingerprint,
  version: `2026.1-${sha256(name).slice(0, 32)}`,
});

const stored = (name: string, size: number) => ({
  ...base(name),
  series: series('2026.1'),
  platform: platform('linux/amd64'),
  contentKey: sha256(`key ${name}`),
  digest: digestOf(name),
  size,
  compressedSize: size / 3,
});

export const built: Outcome = {
  ...base('debian-base'),
  type: 'built',
  stored: stored('debian-base', 75_100_000),
  seconds: 12.34,
  log: '/w/.ccp/logs/1/debian-base.log',
  engine: 'local',
  unlocked: false,
};

export const reused: Outcome = {
  ...base('memcached'),
  type: 'reused',
  stored: stored('memcached', 80_000_000),
};

export const failed: Extract<Outcome, { type: 'failed' }> = {
  ...base('openstack-builder'),
  type: 'failed',
  seconds: 65,
  log: '/w/.ccp/logs/1/openstack-builder.log',
  engine: 'local',
  lastLines: ['make: no rule'],
  fault: {
    code: 'build-failed',
    message: 'step "[1/2] RUN make" failed with exit code 2\nmake: no rule',
    hint: 'see the log',
  },
};

export const blocked: Outcome = {
  ...base('keystone'),
  type: 'blocked',
  by: [imageName('openstack-builder')],
};

export const result: BuildResult = {
  series: series('2026.1'),
  platform: platform('linux/amd64'),
  outcomes: [built, reused, failed, blocked],
  complete: false,
  cancelled: false,
  seconds: 77.4,
};

export const started: BuildEvent = {
  type: 'run-started',
  at: 0,
  total: 4,
  build: 3,
  slots: 2,
  estimate: 250,
  criticalPath: 182,
  unlocked: [imageName('keystone')],
};

export const step = (at: number, name: string): BuildEvent => ({
  type: 'step',
  at,
  image: built.image,
  name,
  state: 'started',
});
