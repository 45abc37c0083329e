/** A text file of an export. */
export interface ExportFile {
  /** Below the folder of the export. */
  readonly path: string;
  readonly text: string;
}
