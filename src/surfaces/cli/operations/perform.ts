import { randomUUID } from 'node:crypto';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type CallOptions, type Client, eachItem } from '../../client/index.ts';
import { launchHeaders } from '../ci/detect.ts';
import type { Connected } from '../connect/connect.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { adviceFor, asRefused, exitCodeOf, type Refused, refusal } from '../refused.ts';
import { jsonText } from '../screen/json.ts';
import { printAnswer, printEvents } from './answer.ts';
import { uploadFrom, writeFileAnswer } from './bytes.ts';
import { confirmed } from './confirm.ts';
import { bodyFrom, type Fields, fieldsFrom } from './input.ts';
import { Names } from './lookup.ts';
import type { Container, OperationCommand, OperationManifest } from './manifest.ts';
import { views } from './views.ts';

export interface OperationOptions extends LocationOptions, Fields {
  organization?: string;
  data?: string;
  file?: string;
  contentType?: string;
  output?: string;
  idempotencyKey?: string;
  all?: true;
  json?: true;
  jq?: string;
  yes?: true;
}

export interface Performance {
  entry: OperationCommand;
  manifest: OperationManifest;
  host: Host;
  /** The arguments for the path parameters. */
  given: string[];
  options: OperationOptions;
}

/** Calls the operation of a command and prints the answer. */
export async function perform({ entry, manifest, host, given, options }: Performance): Promise<void> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await host.connect(options, async (connected) => {
      try {
        const input = await inputFor({ entry, manifest, given, options }, connected);
        if (!(await confirmed(entry, given, options))) return;
        const call = callOf(connected.api, entry.id);
        await answered(entry, options, {
          call,
          input,
          callOptions: await callOptionsOf(entry, options, interrupted.signal),
        });
      } catch (error) {
        throw explained(error, entry, options);
      }
    });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    process.exitCode = exitCodes.interrupted;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** Maximum number of items of --all, to limit memory use. */
const maxItems = 1_000_000;

interface Page {
  items: unknown[];
}

interface Called {
  call: (input: Fields, options: CallOptions) => unknown;
  input: Fields;
  callOptions: CallOptions;
}

async function answered(
  entry: OperationCommand,
  options: OperationOptions,
  { call, input, callOptions }: Called,
): Promise<void> {
  if (entry.list && options.all) {
    const items: unknown[] = [];
    const list = call as (input: Fields, options?: CallOptions) => Promise<Page>;
    for await (const item of eachItem(list, input, callOptions))
      if (items.push(item) > maxItems)
        throw new OperatorProblem(
          `More than ${maxItems} items. Fetch single pages with --limit and --cursor`,
        );
    return printAnswer({ items }, options);
  }
  const answer = call(input, callOptions);
  if (entry.answers === 'events') return printEvents(answer as AsyncIterable<unknown>, options);
  if (entry.answers === 'file') return writeFileAnswer((await answer) as Response, options.output);
  const view = Object.hasOwn(views, entry.id) ? views[entry.id] : undefined;
  const shown = await answer;
  printAnswer(shown, options, view);
  const code = view?.exitCode?.(shown as never) ?? exitCodes.passed;
  if (code !== exitCodes.passed) process.exitCode = code;
}

/** The call of an operation by its ID. The service validates the input. */
function callOf(api: Client, id: string): Called['call'] {
  return (api as unknown as Record<string, Called['call']>)[id] as Called['call'];
}

/** The input of the client: path and query parameters, and the body. */
async function inputFor(
  { entry, manifest, given, options }: Omit<Performance, 'host'>,
  { api, projectId }: Connected,
): Promise<Fields> {
  const names = new Names(api, manifest.lookups, projectId);
  const known: Record<string, string> = {};
  const containers: Record<Container['place'], Fields> = { path: {}, query: {}, body: {} };
  if (entry.project && (entry.project.needed || options.project !== undefined))
    containers[entry.project.place]['projectId'] = known['projectId'] = await projectId();
  if (entry.organization && (entry.organization.needed || options.organization !== undefined))
    containers[entry.organization.place]['organizationId'] = known['organizationId'] =
      await names.organizationId(options.organization);
  for (const [index, { param }] of entry.params.entries())
    known[param] = await names.idOf(param, given[index] as string, known);
  const named = async (fields: Fields): Promise<Fields> => {
    for (const { field, names: param } of entry.flags) {
      if (param === undefined || fields[field] === undefined) continue;
      const id = await idsOf(names, param, fields[field], known);
      fields[field] = id;
      // A case is looked up in the suite of the same command.
      if (typeof id === 'string') known[param] ??= id;
    }
    return fields;
  };
  return {
    ...(await named(await fieldsFrom('query', entry.flags, options))),
    ...containers.query,
    ...containers.path,
    ...Object.fromEntries(entry.params.map(({ param }) => [param, known[param]])),
    ...(entry.sends === 'json' && {
      body: {
        ...containers.body,
        ...(entry.keyed && { idempotencyKey: randomUUID() }),
        ...(await named(await bodyFrom(options.data, entry.flags, options))),
        ...(entry.keyed &&
          options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
      },
    }),
    ...(entry.sends === 'bytes' && { upload: await uploadFrom(entry, options) }),
  };
}

async function idsOf(
  names: Names,
  param: string,
  value: unknown,
  known: Record<string, string>,
): Promise<unknown> {
  if (typeof value === 'string') return names.idOf(param, value, known);
  if (!Array.isArray(value)) return value;
  const ids: unknown[] = [];
  for (const one of value as unknown[])
    ids.push(typeof one === 'string' ? await names.idOf(param, one, known) : one);
  return ids;
}

async function callOptionsOf(
  entry: OperationCommand,
  options: OperationOptions,
  signal: AbortSignal,
): Promise<CallOptions> {
  const launches = entry.flags.some(({ field }) => field === 'x-mcpjam-launcher');
  const given = (await fieldsFrom('header', entry.flags, options)) as Record<string, string>;
  const headers = { ...(launches && launchHeaders(process.env)), ...given };
  return {
    signal,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(!entry.keyed && options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
  };
}

/** With --json or --jq the error is JSON too. */
function explained(error: unknown, entry: OperationCommand, { json, jq }: OperationOptions): unknown {
  const refused = asRefused(error);
  if (!refused) return error;
  if (!json && jq === undefined) return refusal(refused, hintFor(refused, entry));
  const { code, message, details, requestId } = refused;
  return new OperatorProblem(jsonText({ code, message, details, requestId }, process.stderr), {
    exitCode: exitCodeOf(code),
    asItIs: true,
  });
}

/** Advice for an error: the flag of an invalid field, or where to list what was not found. */
function hintFor(refused: Refused, entry: OperationCommand): string | undefined {
  if (refused.code === 'VALIDATION_ERROR') {
    const field = /^(\w+)[:.]/.exec(refused.message)?.[1];
    const flag = entry.flags.find((one) => one.field === field);
    return flag && `Set it with --${flag.flag}${entry.sends === 'json' ? ' or in --data' : ''}.`;
  }
  const advice = adviceFor(refused);
  if (refused.code === 'NOT_FOUND' && advice === undefined)
    return `Check the ID, and that the account of this key has access. See drydock ${entry.group} --help.`;
  return advice;
}
