/** Names that differ in case only have one key. Made here, as a database may not know case beyond ASCII. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
