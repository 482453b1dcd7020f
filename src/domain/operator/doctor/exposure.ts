import { exposures, isLoopback } from '../../../platform/config/load.ts';
import type { Config } from '../../../platform/config/settings.ts';
import { confinementReached } from '../../../platform/confinement/confinement.ts';
import type { Db } from '../../../platform/database/database.ts';
import { Trust } from '../../parts/trust.ts';
import { type Check, type DoctorFinding, ok, problem, warning } from './check.ts';
import type { DatabaseToCheck } from './database.ts';

export function exposureChecks(database: DatabaseToCheck, config: Config): Check[] {
  return [
    { name: 'exposure', run: async () => exposure(config) },
    { name: 'public URL', run: async () => publicUrl(config) },
    { name: 'commands', run: () => commands(database, config) },
  ];
}

function exposure(config: Config): DoctorFinding {
  const { host, port, rateLimit, allowStdio } = config;
  const exposed = exposures(config);
  if (exposed.length === 0) return ok(`Only this machine: ${host}:${port}`);
  const said = `Reachable from other machines: ${exposed.join(' and ')}`;
  if (allowStdio === true)
    return warning(
      `${said}; administrators of projects may run commands here`,
      'Unset DRYDOCK_ALLOW_STDIO, or be sure that you trust them with this machine',
    );
  if (!rateLimit) return warning(`${said}, without a rate limit`, 'Set DRYDOCK_RATE_LIMIT');
  return ok(said);
}

function publicUrl(config: Config): DoctorFinding {
  const { publicUrl: url, host, trustedProxies, tlsCert, oidcIssuer, smtpUrl } = config;
  if (url === undefined) {
    if (smtpUrl !== undefined)
      return problem(
        'Not set: mail with links is refused (invitations, password resets, study tickets)',
        'Set DRYDOCK_PUBLIC_URL to the address that people open in their browsers',
      );
    if (!isLoopback(host))
      return warning(
        'Not set, though the service is exposed: links lead to the address it listens on',
        'Set DRYDOCK_PUBLIC_URL to the address that people open in their browsers',
      );
    if (oidcIssuer !== undefined)
      return warning(
        'Not set: single sign-on works only in a browser on this machine',
        'Set DRYDOCK_PUBLIC_URL',
      );
    return ok('Not set, and not needed');
  }
  const { protocol, hostname, pathname } = new URL(url);
  if (protocol === 'http:' && !isLoopback(hostname))
    return problem(
      `${url}: keys and passwords are sent unencrypted`,
      'Put a proxy with TLS in front and write https://',
    );
  if (pathname !== '/')
    return warning(`${url} has a path, and the console needs to be at the root`, 'Use a separate host name');
  if (protocol === 'https:' && tlsCert === undefined && trustedProxies === undefined)
    return warning(
      `${url}: every request appears to come from the proxy`,
      'Set DRYDOCK_TRUSTED_PROXIES to its network, so that per-address limits work',
    );
  return ok(url);
}

async function commands(database: DatabaseToCheck, config: Config): Promise<DoctorFinding> {
  const refused = await commandsRefused(database, config);
  if (refused) return ok('Stdio servers are refused: no commands are run');
  return confinement(config);
}

/** Decided by the settings, otherwise by the number of users. */
async function commandsRefused(database: DatabaseToCheck, config: Config): Promise<boolean> {
  if (config.allowStdio !== undefined) return !config.allowStdio;
  if (exposures(config).length > 0) return true;
  const trust = (db: Db): Trust => new Trust(config, db, () => 0);
  return (await database.ask((db) => trust(db).commandsRefused())) !== undefined;
}

/** Reports how well commands of stdio servers are isolated. */
async function confinement(config: Config): Promise<DoctorFinding> {
  const { level, detail, missing } = await confinementReached(config);
  const said = `Confinement of stdio servers: ${level}; ${detail}`;
  return missing.length === 0 ? ok(said) : warning(said, missing.join('. '));
}
