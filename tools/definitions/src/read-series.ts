import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, formatPosition, nearest, omitUndefined, throwFindings } from '#core';
import type { Memo } from '#ports';
import { checkConstraints } from './check-constraints.ts';
import { overriddenProject } from './overridden-project.ts';
import { parseSeries, type ParsedSeries } from './parse-series.ts';
import { readDefinition } from './read-definition.ts';
import type { ConstraintOverride, SeriesDefinition } from './types.ts';
import { SERIES_FILE, type WorkspaceLayer } from './workspace-layers.ts';

const NEED = 'create the file; it defines every series';

/**
 * The series of all layers. Only the lowest layer must have images/series.yaml. Overrides and image
 * lists in overlay.yaml replace those of lower layers, overrides by project. Raises all findings of
 * `readDefinition`; `definition-missing` for constraints; `definition-invalid` for invalid
 * constraints, a project that one list overrides twice and invalid dates; `overlay-invalid` for a
 * series in two layers; `series-unknown`.
 */
export function readSeries(
  layers: readonly WorkspaceLayer[],
  memo: Memo,
): readonly SeriesDefinition[] {
  const found = new Map<string, ParsedSeries>();
  const findings: CcpError[] = [];
  for (const [index, layer] of layers.entries()) {
    for (const parsed of readFile(layer, index > 0, memo)) {
      const { name, overrides } = parsed.definition;
      findings.push(...overrideFindings(overrides));
      const known = found.get(name);
      if (known === undefined)
        found.set(name, locateConstraints(parsed, layers.slice(index), findings, memo));
      else {
        const hint = 'choose another name, or add overrides to the series in overlay.yaml';
        findings.push(
          new CcpError({
            code: 'overlay-invalid',
            message: `the series ${name} already exists in the base (${formatPosition(known.at)})`,
            hint,
            at: parsed.at,
          }),
        );
      }
    }
    for (const { name, overrides, images, at } of layer.overlay?.series ?? []) {
      findings.push(...overrideFindings(overrides));
      const known = found.get(name);
      if (known !== undefined) {
        const definition = {
          ...known.definition,
          overrides: mergeOverrides(known.definition.overrides, overrides),
          ...omitUndefined({ images }),
        };
        found.set(name, { ...known, definition });
      } else {
        const meant = nearest(name, [...found.keys()]);
        const hint =
          meant === undefined
            ? `known series: ${[...found.keys()].join(', ')}`
            : `did you mean "${meant}"?`;
        findings.push(
          new CcpError({
            code: 'series-unknown',
            message: `unknown series "${name}"`,
            hint,
            at,
          }),
        );
      }
    }
  }
  throwFindings(findings);
  return [...found.values()].map(({ definition }) => definition);
}

function readFile(layer: WorkspaceLayer, optional: boolean, memo: Memo): readonly ParsedSeries[] {
  const path = join(layer.root, SERIES_FILE);
  if (optional && lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
  return readDefinition([{ path, file: layer.name(SERIES_FILE), need: NEED }], memo, parseSeries);
}

/**
 * The series with the absolute path of its constraints. Constraints from git are searched in all
 * `layers`, starting with the uppermost, which `ccp lock` writes; they can be missing.
 */
function locateConstraints(
  parsed: ParsedSeries,
  layers: readonly WorkspaceLayer[],
  findings: CcpError[],
  memo: Memo,
): ParsedSeries {
  const { definition, constraintsAt: at } = parsed;
  const { constraints: path, constraintsFrom: from, ...facts } = definition;
  if (path === undefined) return parsed;
  const [layer] = layers as readonly [WorkspaceLayer];
  const places = (from === undefined ? [layer] : layers.toReversed()).map(({ root }) =>
    join(root, 'images', path),
  );
  const constraints = places.find((place) => statSync(place, { throwIfNoEntry: false })?.isFile());
  if (constraints === undefined && from === undefined) {
    const message = `the constraints file ${layer.name('images', path)} of series ${definition.name} is missing`;
    findings.push(
      new CcpError({
        code: 'definition-missing',
        message,
        hint: 'create the file, or set constraintsFrom to fetch it from git',
        at,
      }),
    );
  }
  if (constraints !== undefined) findings.push(...checkConstraints(constraints, layers, memo));
  return {
    ...parsed,
    definition: {
      ...facts,
      ...omitUndefined({ constraints }),
      ...(from === undefined ? {} : { constraintsFrom: { ...from, file: places[0]! } }),
    },
  };
}

/** Findings for projects that the list overrides twice, and for invalid dates. */
function overrideFindings(overrides: readonly ConstraintOverride[]): CcpError[] {
  return overrides.flatMap((override, index) => {
    const finding = (message: string, hint: string): CcpError =>
      new CcpError({
        code: 'definition-invalid',
        message,
        hint,
        ...omitUndefined({ at: override.at }),
      });
    const { requirement, expires } = override;
    const first = overrides
      .slice(0, index)
      .find((earlier) => overriddenProject(earlier) === overriddenProject(override));
    return [
      ...(first === undefined
        ? []
        : [
            finding(
              `${requirement} overrides the same project as ${first.requirement}`,
              'keep one of them',
            ),
          ]),
      ...(new Date(expires).toISOString().startsWith(expires)
        ? []
        : [
            finding(
              `the override ${requirement} expires on ${expires}, which is not a date`,
              'write the last day on which the override is valid',
            ),
          ]),
    ];
  });
}

function mergeOverrides(
  below: readonly ConstraintOverride[],
  added: readonly ConstraintOverride[],
): readonly ConstraintOverride[] {
  const replaced = new Set(added.map(overriddenProject));
  return [...below.filter((override) => !replaced.has(overriddenProject(override))), ...added];
}
