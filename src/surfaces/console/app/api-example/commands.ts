import { operationManifest } from '../../../cli/operations/manifest.ts';

/** How an operation maps to a command. */
export interface CommandFacts {
  /** The words after `drydock`. */
  command: string;
  /** Path parameters that follow as arguments, in order. */
  params: string[];
  /** Whether the project is an option. */
  project: boolean;
  /** Query and body fields by name: the flag and its value format. */
  flags: Record<string, { flag: string; kind: string; place: string }>;
  /** Whether the operation is read-only. */
  safe: boolean;
}

/** Keyed by operation ID. Builds include the computed result instead of this module. */
export const commandFacts: Record<string, CommandFacts> = Object.fromEntries(
  operationManifest.commands.map(({ id, group, verb, params, project, flags, safe }) => [
    id,
    {
      command: `${group} ${verb}`,
      params: params.map(({ param }) => param),
      project: project !== undefined,
      flags: Object.fromEntries(flags.map(({ field, flag, kind, place }) => [field, { flag, kind, place }])),
      safe,
    },
  ]),
);
