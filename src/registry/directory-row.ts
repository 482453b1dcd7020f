import { filled, isHttpUrl, isTemplate, variablesIn } from './address-template.ts';
import { commandOf } from './package-command.ts';
import type { Listed, PackageJson, RemoteJson } from './server-json.ts';

type EndpointKind = 'fixed' | 'options' | 'tenant' | 'package';

/** A server's row in the directory. */
export interface DirectoryRow extends Endpoint {
  serverName: string;
  displayName: string;
  description: string;
  rowType: 'remote' | 'package';
  verifiedTier: 'bundled' | 'namespace' | 'unverified';
  authPosture: 'header' | 'environment' | 'none' | 'undeclared';
  transport: string;
  status: string;
}

/** The server's URL or command. */
interface Endpoint {
  endpointKind: EndpointKind | null;
  unavailableReason: string | null;
  remoteUrl: string | null;
  remoteUrlOptions: string[];
  remoteUrlTemplate: string | null;
  remoteUrlHint: string | null;
  command: string[] | null;
}

const nowhere: Endpoint = {
  endpointKind: null,
  unavailableReason: null,
  remoteUrl: null,
  remoteUrlOptions: [],
  remoteUrlTemplate: null,
  remoteUrlHint: null,
  command: null,
};

/** Maximum number of URLs to choose from. */
const maxOptions = 20;

export function directoryRow({ server, official }: Listed, bundled: boolean): DirectoryRow {
  const { name, title, description, packages = [] } = server;
  const remotes = usableRemotes(server.remotes ?? []);
  const remote = remotes.length > 0 || packages.length === 0;
  const words = {
    serverName: name,
    displayName: clean(title ?? '', 100) || (name.split('/')[1] as string),
    description: clean(description, 1000),
    verifiedTier: bundled ? 'bundled' : official ? 'namespace' : 'unverified',
    status: official?.status ?? 'active',
  } as const;
  if (!remote)
    return {
      ...words,
      rowType: 'package',
      authPosture: packages.some(needsEnvironment) ? 'environment' : 'none',
      transport: clean(packages[0]?.transport?.type ?? 'stdio', 40),
      ...packageEndpoint(packages),
    };
  return {
    ...words,
    rowType: 'remote',
    authPosture: remotes.some(needsHeader) ? 'header' : 'undeclared',
    transport: remotes[0]?.type ?? 'streamable-http',
    ...remoteEndpoint(remotes),
  };
}

function needsEnvironment({ environmentVariables = [] }: PackageJson): boolean {
  return environmentVariables.some(({ isRequired }) => isRequired === true);
}

function needsHeader({ headers = [] }: RemoteJson): boolean {
  return headers.some(({ isRequired }) => isRequired === true);
}

/** Remotes with the current HTTP transport, otherwise remotes with the older one. */
function usableRemotes(remotes: readonly RemoteJson[]): RemoteJson[] {
  const known = remotes.filter(({ type }) => type === 'streamable-http' || type === 'sse');
  const current = known.filter(({ type }) => type === 'streamable-http');
  return current.length > 0 ? current : known;
}

function packageEndpoint(packages: readonly PackageJson[]): Endpoint {
  const found = commandOf(packages);
  if ('command' in found) return { ...nowhere, endpointKind: 'package', command: found.command };
  return { ...nowhere, unavailableReason: `package only: ${clean(found.problem, 1000)}` };
}

function remoteEndpoint(remotes: readonly RemoteJson[]): Endpoint {
  const written = [...new Set(remotes.flatMap(addressesOf))];
  const literal = written.filter(isHttpUrl).slice(0, maxOptions);
  const [first] = literal;
  if (first !== undefined && literal.length === 1)
    return { ...nowhere, endpointKind: 'fixed', remoteUrl: first };
  if (first !== undefined) return { ...nowhere, endpointKind: 'options', remoteUrlOptions: literal };
  const template = written.find(isTemplate);
  if (template !== undefined)
    return {
      ...nowhere,
      endpointKind: 'tenant',
      remoteUrlTemplate: template,
      remoteUrlHint: hintFor(template, remotes),
    };
  return {
    ...nowhere,
    unavailableReason:
      written.length === 0
        ? 'it declares neither a URL nor a package'
        : 'its URL cannot be saved. Ask the publisher, and save the server by its URL',
  };
}

/** Fills in known variables: one URL per combination of choices, if there are few. */
function addressesOf({ url, variables = {} }: RemoteJson): string[] {
  const valuesOf = (name: string): string[] | undefined => {
    const { value, choices } = (Object.hasOwn(variables, name) ? variables[name] : undefined) ?? {};
    return value === undefined ? choices : [value];
  };
  let addresses = [url];
  for (const name of new Set(variablesIn(url))) {
    const values = valuesOf(name);
    if (!values || values.length === 0 || addresses.length * values.length > maxOptions) continue;
    addresses = addresses.flatMap((address) => values.map((value) => filled(address, { [name]: value })));
  }
  return addresses;
}

function hintFor(template: string, remotes: readonly RemoteJson[]): string {
  const variables = Object.assign({}, ...remotes.map((one) => one.variables ?? {})) as NonNullable<
    RemoteJson['variables']
  >;
  const said = [...new Set(variablesIn(template))].flatMap((name) => {
    const description = Object.hasOwn(variables, name) ? variables[name]?.description : undefined;
    return description === undefined ? [] : [`${name}: ${clean(description, 200)}`];
  });
  return clean([template, ...said].join('; '), 1000);
}

/** Converts to a single line without control and formatting characters. */
function clean(text: string, most: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.slice(0, most).toWellFormed();
}
