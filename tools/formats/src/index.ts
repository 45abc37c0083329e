export { changedLines, type ChangedLines } from './changed-lines.ts';
export { cronFault } from './cron-fault.ts';
export {
  escapeGoPath,
  GO_MAIN_MODULE,
  type GoModuleFile,
  goModuleFiles,
  goModuleOf,
  goProxyPath,
} from './go-modules.ts';
export { htmlLinks } from './html-links.ts';
export {
  INDEX_ACCEPT,
  type IndexFile,
  normaliseProject,
  parseIndexPage,
  withIndexLogin,
} from './index-page.ts';
export { memoryFault } from './memory-fault.ts';
export { npmFile, npmUrl } from './npm-packages.ts';
export { quantity } from './quantity.ts';
export { readZip, readZipEntry } from './read-zip.ts';
export { resourceFaults } from './resource-faults.ts';
export { retryAfterMs } from './retry-after.ts';
export { settingFault, type SettingRules } from './setting-fault.ts';
export { rulesFault, textFault, type TextRules } from './text-rules.ts';
export { readDiff } from './unified-diff.ts';
export { yamlText } from './yaml-text.ts';
