import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Db } from '../database/database.ts';
import * as vault from '../database/queries/vault.ts';
import { newId } from '../ids.ts';
import { OperatorProblem } from '../problem.ts';
import { type KeyRing, type KeySource, type MasterKey, newMasterKey } from './master-key.ts';

interface Owner {
  organizationId: string;
  projectId: string | null;
}

/** Stores secrets encrypted with AES-256-GCM under the master key. */
export class Vault {
  private readonly source: KeySource;
  private ring: KeyRing;

  constructor(source: KeySource) {
    this.source = source;
    this.ring = source.read();
  }

  /** Whether the database has a registered key, whose values a new key could not decrypt. */
  static async inUse(db: Db): Promise<boolean> {
    return (await db.rows(vault.keys)).length > 0;
  }

  /** Refuses to start with a key that cannot decrypt the database. The first service registers its key. */
  async attach(db: Db): Promise<void> {
    const ours = new Set(this.ring.map((key) => key.id));
    const missing = await db.transaction(async (trx) => {
      await trx.run(vault.lockKeys);
      const known = await trx.rows(vault.keys);
      if (known.length === 0) await trx.run(vault.registerKey, { id: this.ring[0].id });
      return known.find(({ id }) => !ours.has(id))?.id;
    });
    if (missing !== undefined)
      throw new OperatorProblem(
        `The master key does not match this database (its secrets were sealed with key ${missing}). Put the matching master.key back into the data directory, or set DRYDOCK_MASTER_KEY`,
      );
  }

  async seal(db: Db, owner: Owner, value: unknown): Promise<string> {
    const id = newId('sec');
    const key = await this.keyInForce(db);
    await db.run(vault.insert, { id, keyId: key.id, ...owner, ciphertext: encrypt(key, id, value) });
    return id;
  }

  async open(db: Db, id: string): Promise<unknown> {
    const sealed = await db.row(vault.find, { id });
    if (!sealed) throw new Error(`sealed value ${id} does not exist`);
    return this.unseal(sealed);
  }

  /**
   * Decrypts a value that was read in the same statement as the row that owns it, so that no edit can come in between.
   */
  unseal(sealed: vault.SealedRow): unknown {
    return decrypt(this.keyOf(sealed.keyId), sealed);
  }

  async forget(db: Db, id: string): Promise<void> {
    await db.run(vault.remove, { id });
  }

  /** Derives a key for another purpose, identical on every replica. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.ring[0].bytes, '', `drydock ${purpose}`, 32));
  }

  /** Compares texts for equality without storing anything from which they could be guessed. */
  fingerprint(text: string): string {
    return createHmac('sha256', this.derive('fingerprints')).update(text).digest('hex');
  }

  /**
   * Re-encrypts everything under a new key. The ring contains both keys until the database uses only the new one, so
   * every value stays readable after a crash at any point.
   */
  async rotate(db: Db): Promise<{ from: string; to: string; values: number }> {
    if (!this.source.write)
      throw new OperatorProblem(
        'The master key comes from DRYDOCK_MASTER_KEY. Set it to the new key, a comma and the old key, then run this again with --from-environment',
      );
    const old = this.ring;
    const fresh = newMasterKey();
    await this.source.write([fresh, ...old]);
    this.ring = [fresh, ...old];
    const values = await this.reseal(db);
    await this.source.write([fresh]);
    this.ring = [fresh];
    return { from: old[0].id, to: fresh.id, values };
  }

  /** Re-encrypts every value with the first key of the ring, in one transaction. */
  async reseal(db: Db): Promise<number> {
    const [key] = this.ring;
    return db.transaction(async (trx) => {
      await trx.rows(vault.holdAllKeys);
      await trx.run(vault.registerKey, { id: key.id });
      const next = (after: string) => trx.rows(vault.next, { after, keyId: key.id });
      let count = 0;
      for (let batch = await next(''); batch.length > 0; batch = await next(batch.at(-1)?.id ?? ''))
        for (const sealed of batch) {
          const { id } = sealed;
          const value = decrypt(this.keyOf(sealed.keyId), sealed);
          await trx.run(vault.replace, { id, keyId: key.id, ciphertext: encrypt(key, id, value) });
          count++;
        }
      await trx.run(vault.retireOtherKeys, { kept: key.id });
      return count;
    });
  }

  /**
   * The first key of the ring that the database knows. During the preparation of a rotation that is not the new one
   * yet.
   */
  private async keyInForce(db: Db): Promise<MasterKey> {
    const find = async (): Promise<MasterKey | undefined> => {
      for (const key of this.ring) if (await db.row(vault.holdKey, { id: key.id })) return key;
      return undefined;
    };
    const held = await find();
    if (held) return held;
    // Another process has rotated the key.
    this.ring = this.source.read();
    const reread = await find();
    if (!reread) throw new Error('no master key of ours is in force');
    return reread;
  }

  private keyOf(id: string): MasterKey {
    const find = (): MasterKey | undefined => this.ring.find((key) => key.id === id);
    const key = find();
    if (key) return key;
    this.ring = this.source.read();
    const reread = find();
    if (!reread) throw new Error(`no master key ${id} to open a sealed value`);
    return reread;
  }
}

/** iv (12) + tag (16) + ciphertext. The ID is authenticated, so values cannot be swapped between rows. */
function encrypt(key: MasterKey, id: string, value: unknown): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv).setAAD(Buffer.from(id));
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

function decrypt(key: MasterKey, sealed: vault.SealedRow): unknown {
  const { ciphertext } = sealed;
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, ciphertext.subarray(0, 12))
    .setAAD(Buffer.from(sealed.id))
    .setAuthTag(ciphertext.subarray(12, 28));
  return JSON.parse(
    Buffer.concat([decipher.update(ciphertext.subarray(28)), decipher.final()]).toString('utf8'),
  );
}
