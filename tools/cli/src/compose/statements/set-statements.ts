import { CcpError, omitUndefined, shortList } from '#core';
import { packageOfPurl, vexDocument, type ImagePackage, type ReadPolicy } from '#cves';
import { readLock } from '#locks';
import type { PlannedImage } from '#plan';
import {
  imagePurl,
  withDebianSources,
  type ImageSet,
  type ImageSetEntry,
  type StatementInputs,
} from '#release';
import { installedPackages } from '#store';
import { definitionOf } from '../inputs.ts';
import { openProject, stateOf } from '../plan.ts';
import type { Project } from '../project.ts';
import { originOf } from '../settings.ts';
import { componentsOf } from './components.ts';
import { dependenciesOf } from './dependencies.ts';

/** The inputs of the statements about a set's images. */
export interface SetStatementInputs {
  /** Undefined for an unlocked image, since its locks do not cover all contents. */
  read(entry: ImageSetEntry): Promise<StatementInputs | undefined>;
  /** Keeps facts about layers, so that the next run does not read the layers. */
  save(): void;
}

/**
 * Reads the inputs of statements about the images of a set from this workspace: locks, definitions
 * and layers. Throws `statement-outdated` for images whose definitions or locks changed since the
 * set was built. With a policy, its decisions become OpenVEX documents.
 */
export function openStatements(
  root: string,
  set: ImageSet,
  policy?: ReadPolicy,
): SetStatementInputs {
  const project = openProject(root, set.series);
  const { images, unknown } = stateOf(project);
  const outdated = set.images.flatMap(({ name, fingerprint }) =>
    images.get(name)?.fingerprint === fingerprint ? [] : [name],
  );
  if (outdated.length > 0)
    throw new CcpError({
      code: 'statement-outdated',
      message: `the inputs of ${shortList(outdated, 5)} changed after the image set was built${reasonOf(unknown.get(outdated[0]!))}`,
      hint: `build the set again with \`ccp build --series ${set.series}\`, or publish with --no-statements`,
    });
  return {
    read: async (entry) =>
      entry.unlocked === true
        ? undefined
        : withVex(
            await statementInputs(project, images.get(entry.name)!, entry, set),
            entry,
            policy,
          ),
    save: () => project.memo.save(),
  };
}

function withVex(
  inputs: StatementInputs,
  entry: ImageSetEntry,
  policy: ReadPolicy | undefined,
): StatementInputs {
  if (policy === undefined) return inputs;
  const packages = withDebianSources(inputs.components, inputs.installed.debian).flatMap(
    ({ purl, builtFrom: source }): readonly ImagePackage[] => {
      const found = packageOfPurl(purl);
      return found === undefined ? [] : [{ ...found, ...omitUndefined({ source }) }];
    },
  );
  const { name, digest } = entry;
  const vex = vexDocument({ name, digest, purl: imagePurl(entry) }, packages, policy.policy);
  return vex === undefined ? inputs : { ...inputs, vex };
}

function reasonOf(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`;
}

async function statementInputs(
  project: Project,
  planned: Pick<PlannedImage, 'record' | 'parents'>,
  { name, digest }: ImageSetEntry,
  set: ImageSet,
): Promise<StatementInputs> {
  const definition = definitionOf(project, name);
  const lock = readLock(definition, project.series.name);
  const origin = originOf(project.settings);
  const { semantics, args, labels, unlocked } = planned.record;
  return {
    components: componentsOf(project, name),
    installed: await installedPackages(project.paths.store, digest, project.memo),
    dependencies: dependenciesOf(planned, lock, origin, set),
    parameters: { origin, semantics, args, labels, unlocked },
    tests: [
      ...definition.tests.imports.map((module) => `imports ${module}`),
      ...definition.tests.commands.map((command) => command.name),
    ],
  };
}
