import { z } from 'zod';

/** The name of a secret, which is that of a variable. */
export const SecretName = z
  .string()
  .max(64)
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'Write it in capitals, like API_TOKEN');

/**
 * Variables that make programs run other code, find other programs, or send what they send elsewhere. Whoever uses a
 * command that an administrator saved would have it run a command of their own.
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

/** Why a command may not have this as a variable, if it may not. */
export function problemOfVariable(name: string): string | undefined {
  return steersPrograms.test(name)
    ? `${name} changes what programs run or where they send things, so it cannot be a variable of a run. An administrator can save its value in env of the server`
    : undefined;
}

/** Names that whoever saves a command lets members fill. */
export const PersonalEnv = z
  .array(
    SecretName.superRefine((name, check) => {
      const message = problemOfVariable(name);
      if (message !== undefined) check.addIssue({ code: 'custom', message });
    }),
  )
  .max(64)
  .refine((names) => new Set(names).size === names.length, 'Names a variable twice');
