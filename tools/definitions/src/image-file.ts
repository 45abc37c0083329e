import type { CommandTest, GoDefinition, ImageUser, NpmDefinition, SeriesItem } from './types.ts';

/** A package or patch, for every series or only for the listed series; a package also by suite. */
export type PackageItem = string | SeriesItem;

type Text = Readonly<Record<string, string>>;

/** A source before defaults are applied; a patch is a file name. */
export interface SourceFile {
  readonly repository: string;
  readonly refs: Text;
  readonly archive?: string;
  readonly submodules?: readonly string[];
  readonly patches?: readonly PackageItem[];
}

/** images/<name>/image.yaml as written, before defaults are applied. */
export interface ImageFile {
  readonly title: string;
  readonly description: string;
  readonly parents?: Text;
  readonly sources?: Readonly<Record<string, SourceFile>>;
  readonly debian?: Readonly<
    Record<
      string,
      { readonly on?: string; readonly packages: readonly PackageItem[]; readonly alone?: boolean }
    >
  >;
  readonly python?: {
    readonly project?: string;
    readonly extras?: readonly string[];
    readonly packages?: readonly PackageItem[];
    readonly tools?: readonly PackageItem[];
    readonly provided?: readonly string[];
  };
  readonly go?: Partial<GoDefinition>;
  readonly npm?: NpmDefinition;
  readonly tree?: readonly string[];
  readonly user?: ImageUser;
  readonly root?: string;
  readonly series?: readonly string[];
  readonly labels?: Text;
  readonly args?: Text;
  readonly platforms?: readonly string[];
  readonly budget?: string;
  readonly shipped?: boolean;
  readonly unlocked?: boolean;
  readonly network?: 'bridge' | 'host';
  readonly tests?: {
    readonly commands?: readonly (Omit<CommandTest, 'exitCode'> & { readonly exitCode?: number })[];
    readonly imports?: readonly string[];
    readonly importExceptions?: Text;
    readonly setuid?: readonly string[];
    readonly allow?: readonly string[];
  };
}

/** The item as a record. */
export function toSeriesItem(item: PackageItem): SeriesItem {
  return typeof item === 'string' ? { value: item } : item;
}
