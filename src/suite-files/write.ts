import { stringify } from 'yaml';
import { SuiteFile } from './suite-file.ts';

/** A suite file as YAML. Reading it for the schema puts the keys into the schema's order, whoever made them. */
export function writeSuiteFile(file: SuiteFile): string {
  return stringify(SuiteFile.parse(file), { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' });
}
