import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client } from '../../client/index.ts';
import { everything } from '../../common/everything.ts';
import type { Lookup, Lookups } from '../../common/lookups.ts';
import { isId, type Named } from '../../common/naming.ts';
import { theOne } from '../find.ts';
import { argumentName } from './names.ts';

type List = (input: object) => Promise<{ items: Named[]; nextCursor?: string }>;

/** Resolves names to IDs, within the parents that are already resolved. */
export class Names {
  private readonly api: Client;
  private readonly lookups: Lookups;
  private readonly projectId: () => Promise<string>;
  private own: Promise<string> | undefined;

  constructor(api: Client, lookups: Lookups, projectId: () => Promise<string>) {
    this.api = api;
    this.lookups = lookups;
    this.projectId = projectId;
  }

  /** The ID of a name. Values of parameters without a list are IDs already. */
  async idOf(param: string, wanted: string, known: Record<string, string>): Promise<string> {
    const lookup = this.lookups[param];
    if (!lookup || isId(wanted) || wanted === '') return wanted;
    return theOne(argumentName(param).replaceAll('-', ' '), wanted, await this.list(lookup, known)).id;
  }

  async list({ operation, needs }: Lookup, known: Record<string, string>): Promise<Named[]> {
    const input: Record<string, string> = {};
    for (const name of needs) input[name] = known[name] ?? (await this.defaultParent(name));
    const list = (this.api as unknown as Record<string, List>)[operation] as List;
    return everything(list, input);
  }

  private async defaultParent(name: string): Promise<string> {
    if (name === 'projectId') return this.projectId();
    return name === 'organizationId' ? this.organizationId() : '';
  }

  /** The named organization, otherwise that of the key. */
  organizationId(wanted?: string): Promise<string> {
    if (wanted !== undefined) return this.idOf('organizationId', wanted, {});
    this.own ??= this.list(this.lookups['organizationId'] as Lookup, {}).then(([own]) => {
      if (!own) throw new OperatorProblem('The key does not belong to an organization');
      return own.id;
    });
    return this.own;
  }
}
