export * from './canonical-json.ts';
export * from './digest.ts';
export * from './epoch.ts';
export * from './errors.ts';
export * from './index-page.ts';
export * from './names.ts';
export * from './nearest.ts';
export * from './redact.ts';
