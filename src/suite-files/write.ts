import { stringify } from 'yaml';
import { largestSuiteFile } from '../contract/eval-suite-files.ts';
import { problemsFound } from './problem.ts';
import { asSuiteFile, type SuiteFile } from './suite-file.ts';

export interface WriteOptions {
  format?: 'yaml' | 'json';
  /** The URL of the suite file schema, for editors. */
  schemaUrl?: string | undefined;
}

/** Formats a suite file. Throws a `SuiteFileProblem` if the result could not be read again. */
export function writeSuiteFile(given: SuiteFile, { format = 'yaml', schemaUrl }: WriteOptions = {}): string {
  const file = asSuiteFile(given);
  const text = format === 'json' ? asJson(file, schemaUrl) : asYaml(file, schemaUrl);
  if (Buffer.byteLength(text) > largestSuiteFile)
    throw problemsFound([
      {
        line: 1,
        column: 1,
        path: '',
        message: `A suite file is at most ${largestSuiteFile.toLocaleString('en')} bytes`,
      },
    ]);
  return text;
}

function asJson(file: SuiteFile, schemaUrl: string | undefined): string {
  const named = schemaUrl === undefined ? file : { $schema: schemaUrl, ...file };
  return `${JSON.stringify(named, null, 2)}\n`;
}

function asYaml(file: SuiteFile, schemaUrl: string | undefined): string {
  const text = stringify(file, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' });
  return schemaUrl === undefined ? text : `# yaml-language-server: $schema=${schemaUrl}\n${text}`;
}
