import { isRecord } from '#core';
import { isPattern, type Section } from './metadata-section.ts';

const ACTIONS = ['ignore', 'warn', 'error', 'apply'];
const RULE = 'metadata-dependents';

/** The rules of other applications in metadata.yaml: those it needs, and exceptions. */
export function checkDependents(metadata: Section): void {
  const lists = metadata.list('dependent_apps') ?? [];
  lists.forEach((entry, index) => {
    const key = `dependent_apps[${index}]`;
    if (!Array.isArray(entry)) return checkDependent(metadata, key, entry, true);
    if (entry.length < 2)
      metadata.refuse(
        RULE,
        key,
        'has fewer than two applications that exclude each other',
        'write a mapping instead of a list',
      );
    entry.forEach((one, of) => checkDependent(metadata, `${key}[${of}]`, one, true));
  });
  const exceptions = metadata.list('dependent_parent_exceptions') ?? [];
  exceptions.forEach((entry, index) =>
    checkDependent(metadata, `dependent_parent_exceptions[${index}]`, entry, false),
  );
}

function checkDependent(metadata: Section, key: string, entry: unknown, withAction: boolean): void {
  if (!isRecord(entry))
    return metadata.refuse(RULE, key, 'is not a mapping', 'write name, version and action');
  const { name, version, action } = entry;
  if (name !== undefined && typeof name !== 'string')
    metadata.refuse(RULE, `${key}.name`, 'is not a text', 'write the name of an application');
  if (typeof version !== 'string' || !isPattern(version))
    metadata.refuse(
      RULE,
      `${key}.version`,
      'is not a regular expression',
      String.raw`write a pattern in quotes, like "25\\.09-[0-9]+"`,
    );
  if (withAction && !ACTIONS.includes(String(action)))
    metadata.refuse(RULE, `${key}.action`, `is not one of ${ACTIONS.join(', ')}`, 'use warn');
}
