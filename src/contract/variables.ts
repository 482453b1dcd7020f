import { z } from 'zod';

/** The name of a secret, which must be valid as an environment variable. */
export const SecretName = z
  .string()
  .max(64)
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'Must be in capitals, like API_TOKEN');

/**
 * Variables that make programs run other code, find other programs, or send data elsewhere. A member who could set one
 * could make a command saved by an administrator run code of their own.
 */
const steersPrograms = new RegExp(
  `^(?:${[
    'PATH|HOME|SHELL|USER|LOGNAME|PWD|TMPDIR|TERM|ENV|IFS|PS4|SHELLOPTS|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|BROWSER',
    '(?:LD|DYLD|BASH|XDG|NPM_CONFIG|PIP|UV|DOTNET|CORECLR|GIT_CONFIG|SSL_CERT)_[A-Z0-9_]+',
    'GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|CLASSPATH|(?:JAVA_TOOL|_JAVA|JDK_JAVA)_OPTIONS',
    'NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|REPL_EXTERNAL_MODULE)',
    'PYTHON[A-Z]+|PERL5?(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|(?:HTTP|HTTPS|ALL|NO|FTP)_PROXY|DOCKER_(?:HOST|CONFIG|CONTEXT)',
    'SSH_ASKPASS|GIT_(?:SSH|SSH_COMMAND|ASKPASS|EXEC_PATH|PROXY_COMMAND|EXTERNAL_DIFF|TEMPLATE_DIR|PAGER|EDITOR|DIR)',
  ].join('|')})$`,
);

/** Problem with a variable that a run must not set. */
export function problemOfVariable(name: string): string | undefined {
  return steersPrograms.test(name)
    ? `${name} changes what programs run or where they send things, so it cannot be a variable of a run. An administrator can save its value in env of the server`
    : undefined;
}

/** Variables of a command that members can fill with personal secrets. */
export const PersonalEnv = z
  .array(
    SecretName.superRefine((name, check) => {
      const message = problemOfVariable(name);
      if (message !== undefined) check.addIssue({ code: 'custom', message });
    }),
  )
  .max(64)
  .refine((names) => new Set(names).size === names.length, 'Names a variable twice');
