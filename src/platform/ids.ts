import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pool = Buffer.alloc(4096);
let used = pool.length;

/**
 * `prj_` + 10 characters of time + 16 random ones. IDs sort by creation time, so an index on the ID is also an index on
 * creation order, and inserts append to it.
 */
export function newId(prefix: string, now: number = Date.now()): string {
  if (used + 16 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let chance = '';
  for (const end = used + 16; used < end; used++) chance += alphabet[(pool[used] as number) % 32];
  return startOfIds(prefix, now) + chance;
}

/** Sorts before every ID created at this time or later, and after every earlier one. */
export function startOfIds(prefix: string, from: number): string {
  let time = '';
  for (let rest = from, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = alphabet[rest % 32] + time;
  return `${prefix}_${time}`;
}

/** The creation time of an ID. */
export function timeOfId(id: string): number {
  const time = id.slice(id.lastIndexOf('_') + 1).slice(0, 10);
  let sum = 0;
  for (const sign of time) sum = sum * 32 + alphabet.indexOf(sign);
  return sum;
}
