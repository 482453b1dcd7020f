import type { ConsoleOperations } from '../../contract/console/index.ts';
import type { ClientOf, InputOf, OutputOf } from './calls.ts';
import { consoleCallables } from './console-operations.ts';
import { callsOf } from './make.ts';
import type { ClientOptions } from './options.ts';

type Id = keyof ConsoleOperations;

export type ConsoleClient = ClientOf<ConsoleOperations>;
export type ConsoleInput<Name extends Id> = InputOf<ConsoleOperations[Name]>;
export type ConsoleOutput<Name extends Id> = OutputOf<ConsoleOperations[Name]>;

/** The same for what only people do; used by the console, with the cookie of its session. It is not published. */
export function createConsoleClient(options: Omit<ClientOptions, 'apiKey'>): ConsoleClient {
  return callsOf(options, '/console/api', consoleCallables) as ConsoleClient;
}
