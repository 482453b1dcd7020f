import type { PackageJson } from './server-json.ts';

/** Package names only: no options, folders or URLs for npm. */
const npmName = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/i;
const exactVersion = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
/** The default npm registry, in any spelling. */
const defaultRegistry = /^https:\/\/[a-z]+\.npmjs\.[a-z]+\/?$/;

/** The command that runs a server offered only as a package, or the problem that prevents it. */
export type PackageCommand = { command: string[] } | { problem: string };

export function commandOf(packages: readonly PackageJson[]): PackageCommand {
  const known = packages.filter(isRunnable);
  const [first] = known;
  if (!first) {
    const kinds = [...new Set(packages.map(({ registryType }) => registryType.slice(0, 20)))].join(', ');
    return {
      problem: `only npm packages with an exact version and stdio transport can run here; offered as ${kinds}`,
    };
  }
  const commands = known.map(npmCommand);
  return commands.find((one) => 'command' in one) ?? (commands[0] as PackageCommand);
}

function isRunnable({ registryType, identifier, version, registryBaseUrl, transport }: PackageJson): boolean {
  return (
    registryType === 'npm' &&
    (transport?.type ?? 'stdio') === 'stdio' &&
    (registryBaseUrl === undefined || defaultRegistry.test(registryBaseUrl)) &&
    identifier.length <= 214 &&
    npmName.test(identifier) &&
    version !== undefined &&
    version.length <= 100 &&
    exactVersion.test(version)
  );
}

function npmCommand(one: PackageJson): PackageCommand {
  const { identifier, version, environmentVariables = [], runtimeArguments = [] } = one;
  const command = ['npx', '-y', `${identifier}@${version}`];
  const byHand = `Save it as a stdio server with the command ${command.join(' ')}`;
  const variables = environmentVariables.filter(needsValue).map(({ name }) => name);
  if (variables.length > 0)
    return { problem: `requires environment variables: ${shown(variables)}. ${byHand} and these variables` };
  // These would be options of npx itself, which can run anything.
  if (runtimeArguments.length > 0)
    return { problem: `requires arguments for npx. ${byHand} and these arguments` };
  const given = argumentsOf(one);
  if ('missing' in given)
    return { problem: `requires arguments: ${shown(given.missing)}. ${byHand} and these arguments` };
  return { command: [...command, ...given.args] };
}

function argumentsOf({ packageArguments = [] }: PackageJson): { args: string[] } | { missing: string[] } {
  const missing = packageArguments
    .filter(needsValue)
    .map((one) => one.valueHint ?? one.name ?? 'an argument');
  if (missing.length > 0) return { missing };
  return {
    args: packageArguments.flatMap(({ type, name, value }) => {
      if (value === undefined) return [];
      return type === 'named' && name !== undefined ? [name, value] : [value];
    }),
  };
}

interface Given {
  name?: string | undefined;
  value?: string | undefined;
  isRequired?: boolean | undefined;
}

/**
 * A value with a placeholder is incomplete. Invisible and bidirectional characters need a person's review before the
 * command runs.
 */
function needsValue({ name, value, isRequired }: Given): boolean {
  if (value !== undefined) return /[{}\p{Cc}\p{Cf}]/u.test(value) || /[\p{Cc}\p{Cf}]/u.test(name ?? '');
  return isRequired === true;
}

function shown(names: string[]): string {
  return names
    .slice(0, 10)
    .map((name) => name.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 60))
    .join(', ');
}
