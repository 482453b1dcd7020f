import { z } from 'zod';
import { flag, paths, setting } from './values.ts';

/** Settings for the commands of stdio servers. */
export const commandSettings = {
  allowStdio: setting({
    env: 'DRYDOCK_ALLOW_STDIO',
    schema: flag.optional(),
    fallback: 'if the service is reachable from this machine only',
    meaning:
      'Whether stdio servers, which run commands on this machine, may be saved and used. Only project administrators can save them.',
  }),
  commandUser: setting({
    env: 'DRYDOCK_COMMAND_USER',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?$/, 'Write the name or the number of a user')
      .optional(),
    fallback: 'the user of the service, or the unprivileged user 65527 if that is root',
    meaning:
      'User for the commands of stdio servers, by name or uid, if the service runs as root. Commands run as root only if set to root.',
  }),
  confine: setting({
    env: 'DRYDOCK_CONFINE',
    schema: z.enum(['auto', 'require', 'off']).default('auto'),
    meaning:
      'Isolation of commands: auto (as far as the machine allows), require (refuse to run commands without namespaces) or off. See security.md.',
  }),
  commandFiles: setting({
    env: 'DRYDOCK_COMMAND_FILES',
    schema: z.enum(['shared', 'private']).default('shared'),
    meaning:
      'Write access of commands in namespaces: shared (the home folder and folders named in arguments and variables) or private (only a temporary home folder; only programs are visible).',
  }),
  commandNetwork: setting({
    env: 'DRYDOCK_COMMAND_NETWORK',
    schema: z.enum(['shared', 'none']).default('shared'),
    meaning: "Network of commands in namespaces: shared (the machine's) or none.",
  }),
  commandHidden: setting({
    env: 'DRYDOCK_COMMAND_HIDDEN',
    schema: paths.optional(),
    fallback: 'none',
    meaning:
      'Additional files and folders hidden from commands in namespaces, like /srv/keys,/run/docker.sock. Files of the service are always hidden.',
  }),
  commandMemory: setting({
    env: 'DRYDOCK_COMMAND_MEMORY',
    schema: z.coerce.number().int().min(64).max(1_048_576).default(2048),
    meaning: 'Maximum private memory per process of a command, in MiB. Node 24 needs at least 640.',
  }),
  commandProcesses: setting({
    env: 'DRYDOCK_COMMAND_PROCESSES',
    schema: z.coerce.number().int().min(16).max(100_000).default(512),
    meaning:
      'Maximum processes and threads per command; Node has about 11. Where they cannot be counted per command, this times DRYDOCK_WARM_PROCESSES for all commands of DRYDOCK_COMMAND_USER, and no limit for root.',
  }),
};
