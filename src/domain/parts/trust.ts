import { exposures } from '../../platform/config/load.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Db } from '../../platform/database/database.ts';
import * as users from '../../platform/database/queries/users.ts';
import type { AddressPolicy } from '../../platform/network/address-guard.ts';

/** Milliseconds to cache the number of users. */
const cacheTime = 1000;

/**
 * Decides whether stdio commands and local addresses are allowed. A command runs code on this machine, and a local
 * address reaches internal services. Both are allowed by default while the service has one user, listens on loopback
 * and is not otherwise reachable, since that user could do the same without it. Users may be created by other
 * processes, so they are counted repeatedly. In all other cases the operator decides.
 */
export class Trust {
  private readonly config: Config;
  private readonly db: Db;
  private readonly now: () => number;
  /** Why the settings imply other callers. */
  private readonly exposed: string[];
  private counted: { several: boolean; at: number } | undefined;
  /** One object per reason, so that policies can be compared by identity. */
  private readonly policies = new Map<string, AddressPolicy>();

  constructor(config: Config, db: Db, now: () => number) {
    this.config = config;
    this.db = db;
    this.now = now;
    this.exposed = exposures(config);
  }

  /** Why commands may not be saved or run now; undefined if they may. */
  async commandsRefused(db: Db = this.db): Promise<string | undefined> {
    const what = 'stdio servers run commands on the machine of this service';
    if (this.config.allowStdio === true) return undefined;
    if (this.config.allowStdio === false) return `${what}, and DRYDOCK_ALLOW_STDIO=false forbids them`;
    const others = await this.others(db);
    if (others === '') return undefined;
    return `${what}, which is not one person's: ${others}. The operator can allow them with DRYDOCK_ALLOW_STDIO=true`;
  }

  /** Where servers may be now. Equal policies are the same object. */
  async addressPolicy(db: Db = this.db): Promise<AddressPolicy> {
    const { allowedNetworks: networks } = this.config;
    if (networks) return this.policy('', { local: false, networks });
    const others = await this.others(db);
    if (others === '') return this.policy(others, { local: true, networks: [] });
    return this.policy(others, {
      local: false,
      networks: [],
      because: `this service is not one person's: ${others}`,
    });
  }

  /** The warning shown before a second user is added; undefined if nothing would change. */
  async restrictionsForSecondUser(db: Db = this.db): Promise<string | undefined> {
    const { allowStdio, allowedNetworks } = this.config;
    const closing = [
      ...(allowStdio === undefined ? [['stdio servers', 'DRYDOCK_ALLOW_STDIO=true']] : []),
      ...(allowedNetworks === undefined
        ? [['servers at local addresses', 'DRYDOCK_ALLOWED_NETWORKS to their networks']]
        : []),
    ];
    if (closing.length === 0 || (await this.others(db)) !== '') return undefined;
    const [what, settings] = [0, 1].map((at) => closing.map((pair) => pair[at]).join(' and '));
    return `With a second user, this service refuses ${what}. To keep them, the operator must set ${settings}.`;
  }

  private policy(reason: string, made: AddressPolicy): AddressPolicy {
    const known = this.policies.get(reason) ?? made;
    this.policies.set(reason, known);
    return known;
  }

  /** Why people other than one user may call; empty if they cannot. */
  private async others(db: Db): Promise<string> {
    if (this.exposed.length > 0) return this.exposed.join(' and ');
    return (await this.several(db)) ? 'it has several users' : '';
  }

  private async several(db: Db): Promise<boolean> {
    const at = this.now();
    if (!this.counted || at - this.counted.at > cacheTime)
      // Timestamped with the start of the query, not its end.
      this.counted = { ...(await db.one(users.several)), at };
    return this.counted.several;
  }
}
