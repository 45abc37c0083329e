import { canonicalJson, mapRecord, sha256, type Sha256 } from '#core';
import type {
  DebianPackage,
  Lock,
  LockedGo,
  LockSummary,
  NpmPackage,
  PythonFile,
} from './types.ts';

function hashOf(rows: readonly (readonly string[])[]): Sha256 {
  return sha256(canonicalJson(rows.map((row) => row.join('\0')).sort()));
}

/** SHA-256 over packages (name, version, architecture, SHA-256), independent of their order. */
function debianHash(packages: readonly DebianPackage[]): Sha256 {
  return hashOf(packages.map((item) => [item.name, item.version, item.architecture, item.sha256]));
}

/** SHA-256 over Python files (name, version, file name, SHA-256), independent of their order. */
function pythonHash(files: readonly PythonFile[]): Sha256 {
  return hashOf(files.map((item) => [item.name, item.version, item.file, item.sha256]));
}

/** SHA-256 over Go module files and the language version, independent of the files' order. */
function goHash({ language, files }: LockedGo): Sha256 {
  return hashOf([
    ['go', language],
    ...files.map((item) => [item.name, item.version, item.kind, item.sum, item.sha256]),
  ]);
}

/** SHA-256 over npm packages and their install paths, independent of their order. */
function npmHash(packages: readonly NpmPackage[]): Sha256 {
  return hashOf(packages.map((item) => [item.path, item.name, item.version, item.sha256]));
}

/** Summarises a lock for `ccp plan`. */
export function summarise(lock: Lock): LockSummary {
  return {
    request: lock.request,
    debian: mapRecord(lock.debian, debianHash),
    python: { runtime: pythonHash(lock.python.runtime), build: pythonHash(lock.python.build) },
    ...(lock.go === undefined
      ? {}
      : { go: { files: goHash(lock.go), requires: lock.go.requires } }),
    ...(lock.npm === undefined ? {} : { npm: { packages: npmHash(lock.npm) } }),
    sources: mapRecord(lock.sources, ({ repository, commit, version, archive }) => {
      return {
        repository,
        commit,
        version,
        ...(archive === undefined ? {} : { archive: archive.sha256 }),
      };
    }),
  };
}
