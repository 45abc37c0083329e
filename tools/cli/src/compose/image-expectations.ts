import { basename } from 'node:path';
import { testImage, type ImageExpectations, type ImageUnderTest, type TestReport } from '#build';
import type { SourceOrigin } from '#context';
import { mapRecord } from '#core';
import type { ImageDefinition } from '#definitions';
import { goModuleOf } from '#formats';
import type { Lock } from '#locks';
import type { ImageStore } from '#ports';
import { connectRegistry } from '#store';
import { definitionExpectations } from './definition-expectations.ts';
import { definitionOf, plannedLock } from './inputs.ts';
import { keepsLibraries, type ImageReader } from './keeps-libraries.ts';
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
  const { config } = await store.inspect(stored.digest);
  const librariesChecked = await areLibrariesChecked(project, store, subject);
  return testImage(
    imageExpectations(definition, lock),
    { reference, runner, config, size: stored.size, librariesChecked },
    signal,
  );
}

/**
 * True if the tests of the base image found every missing library that this image can have: it has
 * the same libraries, and it allows every path that the base allows.
 */
async function areLibrariesChecked(
  project: Project,
  store: ImageStore,
  { planned: { image, parents, record }, stored: { digest } }: ImageUnderTest,
): Promise<boolean> {
  const { base } = parents;
  const fingerprint = record.parents['base'];
  const below = fingerprint === undefined ? undefined : store.byFingerprint(fingerprint);
  if (base === undefined || below === undefined) return false;
  const { allow } = definitionOf(project, image).tests;
  if (!definitionOf(project, base).tests.allow.every((path) => allow.includes(path))) return false;
  const registry = await connectRegistry({
    host: store.address,
    credentials: () => store.login,
  });
  const readLayer: ImageReader['readLayer'] = async (layer) =>
    Buffer.concat(await Array.fromAsync(await registry.readBlob(image, layer)));
  return keepsLibraries({ inspect: store.inspect, readLayer }, digest, below.digest);
}

/** The test expectations of an image from its definition and its lock. */
export function imageExpectations(definition: ImageDefinition, lock: Lock): ImageExpectations {
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
