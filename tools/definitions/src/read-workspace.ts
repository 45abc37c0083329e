import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CcpError, CcpErrors, isImageName, throwFindings } from '#core';
import type { Memo } from '#ports';
import { parseImage, type ParsedImage } from './parse-image.ts';
import { parseSeries } from './parse-series.ts';
import { readDefinition } from './read-definition.ts';
import type { SeriesDefinition, Workspace } from './types.ts';
import { checkSeries, checkUsers } from './workspace-rules.ts';

const IMAGE_NEED = 'every folder in images needs one; the name of a folder of shared parts starts with _';
const SERIES_NEED = 'it says what each series stands on';

/**
 * Reads images/series.yaml and every images/<name>/image.yaml below `root`, images in order of their names. Folders that
 * start with `_` or `.` are shared parts. What a file says is remembered in `memo`, so that an unchanged one is not read.
 * Raises `workspace-missing`, or all findings together: those of `readDefinition`, `yaml-invalid`, `definition-invalid`,
 * `series-unknown`.
 */
export function readWorkspace(root: string, memo: Memo): Workspace {
  const folder = resolve(root, 'images');
  const findings: CcpError[] = [];
  const entries = listFolder(folder, root);
  const series = collect(findings, () => readSeries(folder, memo));
  const parsed: ParsedImage[] = [];
  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith('_') || name.startsWith('.') || entry.isFile()) continue;
    const image = collect(findings, () => {
      checkFolder(name, entry.isDirectory());
      const from = { path: `${folder}/${name}/image.yaml`, file: `images/${name}/image.yaml`, need: IMAGE_NEED };
      return readDefinition(from, memo, (text, file) => parseImage(name, text, file));
    });
    if (image !== undefined) parsed.push(image);
  }
  if (series !== undefined) findings.push(...checkSeries(parsed, series.map((one) => one.name)));
  findings.push(...checkUsers(parsed));
  throwFindings(findings);
  return {
    root: resolve(root),
    series: series!,
    images: parsed.map(({ definition }) => ({ ...definition, folder: `${folder}/${definition.name}` })),
  };
}

function readSeries(folder: string, memo: Memo): readonly SeriesDefinition[] {
  const from = { path: join(folder, 'series.yaml'), file: 'images/series.yaml', need: SERIES_NEED };
  const parsed = readDefinition(from, memo, parseSeries);
  const findings: CcpError[] = [];
  const series = parsed.map(({ definition, constraintsAt }) => {
    if (definition.constraints === undefined) return definition;
    const constraints = join(folder, definition.constraints);
    if (statSync(constraints, { throwIfNoEntry: false })?.isFile() !== true) {
      const message = `the constraints of series ${definition.name}, images/${definition.constraints}, are missing`;
      findings.push(new CcpError({ code: 'definition-missing', message, at: constraintsAt }));
    }
    return { ...definition, constraints };
  });
  throwFindings(findings);
  return series;
}

function listFolder(folder: string, root: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    throw new CcpError({
      code: 'workspace-missing',
      message: `${root} holds no images folder that can be read`,
      hint: 'run the command inside a repository of image definitions',
      cause,
    });
  }
}

function checkFolder(name: string, directory: boolean): asserts name is ParsedImage['definition']['name'] {
  const at = { file: `images/${name}` };
  if (!directory) {
    const hint = 'an image is a folder, not a link to one';
    throw new CcpError({ code: 'definition-invalid', message: `images/${name} is not a folder`, hint, at });
  }
  if (!isImageName(name)) {
    const hint = 'use lower-case letters, digits and single dashes, at most 63 characters; a folder of shared parts starts with _';
    throw new CcpError({ code: 'definition-invalid', message: `images/${name}: "${name}" is not an image name`, hint, at });
  }
}

function collect<T>(findings: CcpError[], read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof CcpErrors) findings.push(...thrown.findings);
    else if (thrown instanceof CcpError) findings.push(thrown);
    else throw thrown;
    return undefined;
  }
}
