import { isRecord, omitUndefined } from '#core';
import type { LayerListing, LayerMember } from '#ports';

const FORMAT = 1;

/** A listing as text. Rows instead of records, since a layer can have 100,000 members. */
export function listingText({ members, users }: LayerListing): string {
  return JSON.stringify({
    format: FORMAT,
    ...omitUndefined({ users }),
    members: members.map(({ path, type, mode, elf, target }) => [
      path,
      elf ? 'e' : type,
      mode,
      ...(type === 'l' ? [target] : []),
    ]),
  });
}

/** Parses a `listingText` of this format. Returns undefined or throws for other text. */
export function parseListing(text: string): LayerListing | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || value['format'] !== FORMAT) return undefined;
  const { users, members } = value as {
    readonly users?: readonly string[];
    readonly members: readonly [string, LayerMember['type'] | 'e', number, string?][];
  };
  return {
    ...omitUndefined({ users }),
    members: members.map(([path, type, mode, target = '']) => ({
      path,
      type: type === 'e' ? 'f' : type,
      mode,
      elf: type === 'e',
      target,
    })),
  };
}
