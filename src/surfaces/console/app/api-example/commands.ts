import { operationManifest } from '../../../cli/operations/manifest.ts';

/** Facts that write an operation as a command. */
export interface CommandFacts {
  /** Behind `drydock`. */
  command: string;
  /** Names in the path that follow it, in order. */
  params: string[];
  /** Takes the project as an option. */
  project: boolean;
  /** Fields of query and body, by their names: the flag, and how its value is written. */
  flags: Record<string, { flag: string; kind: string; place: string }>;
  /** Changes nothing. */
  safe: boolean;
}

/** By the ids of the operations. A build keeps this as a table. */
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
