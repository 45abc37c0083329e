import { isRecord } from '#core';
import type { Findings } from './findings.ts';
import type { Mapping } from './yaml-of.ts';

const FILE = 'metadata.yaml';
const BOOLEANS = ['true', 'false', 'yes', 'no', 'y', 'n', '1', '0'];

/** A mapping of metadata.yaml whose values are checked as they are read. */
export interface Section {
  readonly keys: readonly string[];
  has(key: string): boolean;
  /** A text; undefined if it is absent, or has another type, which is a finding. */
  text(key: string): string | undefined;
  flag(key: string): void;
  list(key: string): readonly unknown[] | undefined;
  section(key: string): Section | undefined;
  /** The members of a list, all of which must be mappings. */
  sections(key: string): readonly Section[];
  refuse(rule: string, key: string, message: string, hint: string): void;
  warn(rule: string, key: string, message: string, hint: string): void;
}

/** Reads a mapping that is at `at`, a path of keys with a final dot, or empty for the file. */
export function sectionReader(value: Mapping, at: string, found: Findings): Section {
  const refuse: Section['refuse'] = (rule, key, message, hint) =>
    found.error(rule, FILE, `${at}${key} ${message}`, hint);
  const type = (key: string, name: string): void =>
    refuse('metadata-type', key, `is not a ${name}`, `write a ${name}`);
  const reader: Section = {
    keys: Object.keys(value),
    has: (key) => value[key] !== undefined && value[key] !== null,
    refuse,
    warn: (rule, key, message, hint) => found.warn(rule, FILE, `${at}${key} ${message}`, hint),
    text: (key) => {
      const text = value[key];
      if (text === undefined) return undefined;
      if (typeof text === 'string') return text;
      type(key, 'text in quotes');
      return undefined;
    },
    flag: (key) => {
      const flag = value[key];
      if (flag !== undefined && !BOOLEANS.includes(wordOf(flag)))
        refuse('metadata-type', key, `is not one of ${BOOLEANS.join(', ')}`, 'write true or false');
    },
    list: (key) => {
      const list = value[key];
      if (list === undefined) return undefined;
      if (Array.isArray(list)) return list as readonly unknown[];
      type(key, 'list');
      return undefined;
    },
    section: (key) => {
      const section = value[key];
      if (section === undefined) return undefined;
      if (isRecord(section)) return sectionReader(section, `${at}${key}.`, found);
      type(key, 'mapping');
      return undefined;
    },
    sections: (key) =>
      (reader.list(key) ?? []).flatMap((member, index) => {
        if (isRecord(member)) return [sectionReader(member, `${at}${key}[${index}].`, found)];
        type(`${key}[${index}]`, 'mapping');
        return [];
      }),
  };
  return reader;
}

/** Whether a text is a regular expression, in the syntax that Python and JavaScript share. */
export function isPattern(text: string): boolean {
  try {
    // Only compiled: an unknown pattern could match for minutes.
    new RegExp(text.replaceAll('(?P<', '(?<'));
    return true;
  } catch {
    return false;
  }
}

/** The text of a boolean, number or text, in lower case; empty for anything else. */
function wordOf(value: unknown): string {
  return ['boolean', 'number', 'string'].includes(typeof value)
    ? String(value as boolean | number | string).toLowerCase()
    : '';
}
