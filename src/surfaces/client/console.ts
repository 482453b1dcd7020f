import type { ConsoleOperations } from '../../contract/console/index.ts';
import type { ClientOf, InputOf, OutputOf } from './calls.ts';
import { consoleCallables } from './console-operations.ts';
import { callsOf } from './make.ts';
import type { ClientOptions } from './options.ts';

type Id = keyof ConsoleOperations;

export type ConsoleClient = ClientOf<ConsoleOperations>;
export type ConsoleInput<Name extends Id> = InputOf<ConsoleOperations[Name]>;
export type ConsoleOutput<Name extends Id> = OutputOf<ConsoleOperations[Name]>;

/** A client of the console operations, authenticated by the session cookie. Not part of the package. */
export function createConsoleClient(options: Omit<ClientOptions, 'apiKey'>): ConsoleClient {
  return callsOf(options, '/console/api', consoleCallables) as ConsoleClient;
}
