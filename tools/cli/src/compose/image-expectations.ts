import { basename } from 'node:path';
import { testImage, type ImageExpectations, type ImageUnderTest, type TestReport } from '#build';
import type { SourceOrigin } from '#context';
import { mapRecord, omitUndefined } from '#core';
import type { ImageDefinition } from '#definitions';
import { goModuleOf } from '#formats';
import type { Lock } from '#locks';
import type { ImageStore } from '#ports';
import { checkedBase, layersOf } from './checked-base.ts';
import { definitionExpectations } from './definition-expectations.ts';
import { definitionOf, plannedLock } from './inputs.ts';
import type { Project } from './project.ts';

/** Runs the tests of a sealed image: those of its definition and the common ones. */
export async function testBuiltImage(
  project: Project,
  origin: SourceOrigin,
  store: ImageStore,
  subject: ImageUnderTest,
  signal: AbortSignal,
): Promise<TestReport> {
  const { planned, stored, reference, runner } = subject;
  const definition = definitionOf(project, planned.image);
  const lock = plannedLock(project, planned.record, origin);
  const { manifest, config } = await store.inspect(stored.digest);
  const layers = await Promise.all(layersOf(manifest).map(store.listLayer));
  const base = await checkedBase(project, store, planned, { manifest, config });
  return testImage(
    imageExpectations(definition, lock),
    { reference, runner, config, size: stored.size, layers, ...omitUndefined({ base }) },
    signal,
  );
}

/** The test expectations of an image from its definition and its lock. */
function imageExpectations(definition: ImageDefinition, lock: Lock): ImageExpectations {
  return {
    ...definitionExpectations(definition),
    inputs: [
      ...lock.python.runtime,
      ...lock.python.build,
      ...(lock.npm ?? []),
      ...archivesOf(lock),
    ].map(({ file }) => basename(file)),
    versions: {
      sources: mapRecord(lock.sources, ({ version }) => version),
      python: versionsOf(lock.python.runtime),
      go: Object.fromEntries(
        Object.entries(definition.go?.programs ?? {}).flatMap(([name, path]) =>
          goVersion(name, path, lock),
        ),
      ),
      debian: versionsOf(Object.values(lock.debian).flat()),
    },
  };
}

function archivesOf({ sources }: Lock): { readonly file: string }[] {
  return Object.values(sources).flatMap(({ archive }) => archive ?? []);
}

function versionsOf(
  packages: readonly { readonly name: string; readonly version: string }[],
): Record<string, string> {
  return Object.fromEntries(packages.map(({ name, version }) => [name, version]));
}

/** A Go program and the version of its module; empty for a program of the image itself. */
function goVersion(name: string, path: string, { go }: Lock): [string, string][] {
  const version = go?.requires[goModuleOf(path, Object.keys(go.requires)) ?? ''];
  return version === undefined ? [] : [[name, version.replace(/^v/, '')]];
}
