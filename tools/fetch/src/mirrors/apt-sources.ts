/** A source of binary packages in the host's apt configuration. */
export interface AptSource {
  /** Without a trailing slash. */
  readonly uri: string;
  readonly suites: readonly string[];
}

/** Parses a file in the one-line format of sources.list(5). */
export function parseOneLine(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[[^\]]*\]\s*)?(\S+)\s+(\S+)/.exec(line.replace(/#.*/, ''));
    return match?.[1] === undefined || match[2] === undefined
      ? []
      : [{ uri: trimSlash(match[1]), suites: [match[2]] }];
  });
}

/**
 * Parses a file in the deb822 format of sources.list(5); disabled stanzas and sources of source
 * packages are omitted.
 */
export function parseDeb822(text: string): AptSource[] {
  const stanzas = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .split(/\n\s*\n/);
  return stanzas.flatMap((stanza) => {
    const fields = new Map<string, string[]>();
    for (const [, name, value] of stanza.matchAll(/^([A-Za-z0-9-]+):(.*(?:\n[ \t].*)*)/gm)) {
      fields.set(
        (name ?? '').toLowerCase(),
        (value ?? '').split(/\s+/).filter((word) => word !== '' && word !== '.'),
      );
    }
    if (
      /^(?:no|false|off|0)$/i.test(fields.get('enabled')?.[0] ?? 'yes') ||
      fields.get('types')?.includes('deb') !== true
    )
      return [];
    const suites = fields.get('suites') ?? [];
    return (fields.get('uris') ?? []).map((uri) => ({ uri: trimSlash(uri), suites }));
  });
}

function trimSlash(uri: string): string {
  return uri.replace(/\/+$/, '');
}
