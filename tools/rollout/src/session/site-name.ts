export interface SiteName {
  readonly name: string;
  readonly namespace: string;
}
