/** The fields of a message by their number, as far as tests read them. */
type Fields = Map<number, (Buffer | number)[]>;

export function fieldsOf(message: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++] as number;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const skip = (length: number): Buffer => message.subarray(at, (at += length));
  while (at < message.length) {
    const tag = varint();
    const wire = tag % 8;
    const value = wire === 0 ? varint() : wire === 1 ? skip(8) : wire === 5 ? skip(4) : skip(varint());
    const number = Math.floor(tag / 8);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

export function bytesAt(fields: Fields, number: number): Buffer[] {
  return (fields.get(number) ?? []) as Buffer[];
}

export function textAt(fields: Fields, number: number): string {
  return bytesAt(fields, number)[0]?.toString() ?? '';
}

export function numberAt(fields: Fields, number: number): number | undefined {
  return fields.get(number)?.[0] as number | undefined;
}
