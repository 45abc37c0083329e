import { lstatSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CcpError, shownPath } from '#core';
import type { Memo } from '#ports';
import { parseOverlay, type ParsedOverlay } from './parse-overlay.ts';
import { readDefinition } from './read-definition.ts';

/** The file that makes a workspace overlay another. */
const OVERLAY_FILE = 'overlay.yaml';
/** The file that every other workspace has. */
export const SERIES_FILE = join('images', 'series.yaml');

/** One of the workspaces that a run sees as one. */
export interface WorkspaceLayer {
  /** Absolute path. */
  readonly root: string;
  /** Absent for the lowest. */
  readonly overlay?: ParsedOverlay;
  /** How messages name a path below it: relative to the workspace of the run. */
  name(...path: readonly string[]): string;
}

/** More than anybody stacks on purpose. */
const MAX_LAYERS = 8;

/**
 * The workspace at `root`, an absolute path, after those that it overlays, the lowest first; itself alone where it has no
 * overlay.yaml. Raises `yaml-invalid`, and `overlay-invalid` where a base is no workspace or overlays this one.
 */
export function readLayers(root: string, memo: Memo): readonly [...WorkspaceLayer[], WorkspaceLayer] {
  const layers: WorkspaceLayer[] = [];
  const seen = new Set<string>();
  for (let at: string | undefined = root; at !== undefined;) {
    const here: string = at;
    seen.add(here);
    const name = (...path: readonly string[]): string => shownPath(relative(root, join(here, ...path)));
    const overlay = readOverlay(here, name(OVERLAY_FILE), memo);
    layers.unshift({ root: here, name, ...(overlay === undefined ? {} : { overlay }) });
    at = overlay === undefined ? undefined : baseOf(here, overlay, seen);
  }
  return layers as [...WorkspaceLayer[], WorkspaceLayer];
}

/** True where the folder is a workspace. */
export function isWorkspace(folder: string): boolean {
  return [SERIES_FILE, OVERLAY_FILE].some((file) => statSync(join(folder, file), { throwIfNoEntry: false }) !== undefined);
}

function readOverlay(root: string, file: string, memo: Memo): ParsedOverlay | undefined {
  const path = join(root, OVERLAY_FILE);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return readDefinition([{ path, file }], memo, parseOverlay);
}

function baseOf(root: string, { base, baseAt: at }: ParsedOverlay, seen: ReadonlySet<string>): string {
  const folder = resolve(root, base);
  const refuse = (message: string, hint: string): never => {
    throw new CcpError({ code: 'overlay-invalid', message, hint, at });
  };
  if (!isWorkspace(folder)) refuse(`base: ${base} is not a workspace`, `name the folder that holds ${SERIES_FILE}, relative to this file`);
  if (seen.has(folder)) refuse(`base: ${base} overlays this workspace itself`, 'name the workspace that both stand on');
  if (seen.size >= MAX_LAYERS) refuse(`base: more than ${MAX_LAYERS} workspaces overlay one another`, 'put some of them together');
  return folder;
}
