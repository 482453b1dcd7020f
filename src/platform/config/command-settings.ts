import { z } from 'zod';
import { setting } from './setting.ts';
import { flag, paths } from './values.ts';

/** Whether and how the commands of stdio servers run. */
export const commandSettings = {
  allowStdio: setting({
    env: 'DRYDOCK_ALLOW_STDIO',
    schema: flag.optional(),
    fallback: "only while the service is one person's",
    meaning:
      'Whether stdio servers may be saved and used: they run commands on this machine. Only administrators of a project save them.',
  }),
  commandUser: setting({
    env: 'DRYDOCK_COMMAND_USER',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?$/, 'Write the name or the number of a user')
      .optional(),
    fallback: 'the user of the service; where that is root, the unprivileged user 65527',
    meaning:
      'User that the commands of stdio servers run as, by name or uid, when the service runs as root. Commands run as root only when it says root.',
  }),
  confine: setting({
    env: 'DRYDOCK_CONFINE',
    schema: z.enum(['auto', 'require', 'off']).default('auto'),
    meaning:
      'How commands are kept from the rest of the machine: auto, as far as the machine allows; require, only in namespaces of their own, or not at all; off. See security.md.',
  }),
  commandFiles: setting({
    env: 'DRYDOCK_COMMAND_FILES',
    schema: z.enum(['shared', 'private']).default('shared'),
    meaning:
      'What commands in namespaces may change: shared, the home folder and folders that their arguments and variables name; private, nothing: they see programs, and a home of their own that is gone afterwards.',
  }),
  commandNetwork: setting({
    env: 'DRYDOCK_COMMAND_NETWORK',
    schema: z.enum(['shared', 'none']).default('shared'),
    meaning: 'Network of commands in namespaces: shared, that of the machine; none.',
  }),
  commandHidden: setting({
    env: 'DRYDOCK_COMMAND_HIDDEN',
    schema: paths.optional(),
    fallback: 'none',
    meaning:
      'Further files and folders that commands in namespaces do not see, like /srv/keys,/run/docker.sock. What the service keeps is always hidden.',
  }),
  commandMemory: setting({
    env: 'DRYDOCK_COMMAND_MEMORY',
    schema: z.coerce.number().int().min(64).max(1_048_576).default(2048),
    meaning: 'Memory that one process of a command may have for itself, in MiB.',
  }),
  commandProcesses: setting({
    env: 'DRYDOCK_COMMAND_PROCESSES',
    schema: z.coerce.number().int().min(16).max(100_000).default(512),
    meaning:
      'Processes and threads of one command; one of Node has about 11. Where they cannot be counted apart, this times DRYDOCK_WARM_PROCESSES for all of DRYDOCK_COMMAND_USER, and for root no bound.',
  }),
};
