import { inflateSync } from 'node:zlib';

const maxPixels = 1920 * 4000;

/** Whether all pixels of a picture have the same color. False if it cannot be decoded. */
export function isBlank(png: Buffer): boolean {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = { 0: 1, 2: 3, 4: 2, 6: 4 }[png[25] as number];
  // The format that Chromium writes: eight bits per channel, not interlaced.
  if (channels === undefined || png[24] !== 8 || png[28] !== 0 || width * height > maxPixels) return false;
  const stride = width * channels + 1;
  const lines = inflateSync(pixelData(png), { maxOutputLength: stride * height });
  const before = Buffer.alloc(stride);
  const line = Buffer.alloc(stride);
  let first: Buffer | undefined;
  for (let y = 0; y < height; y++) {
    lines.copy(line, 0, y * stride, (y + 1) * stride);
    unfilter(line, before, channels);
    first ??= Buffer.from(line.subarray(1, 1 + channels));
    for (let x = 1; x < stride; x += channels)
      if (line.compare(first, 0, channels, x, x + channels)) return false;
    line.copy(before);
  }
  return true;
}

function pixelData(png: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at + 8 <= png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return Buffer.concat(parts);
}

/** A PNG line contains differences to the bytes to the left and above; its first byte selects the filter. */
function unfilter(line: Buffer, above: Buffer, channels: number): void {
  const filter = line[0];
  for (let x = 1; x < line.length; x++) {
    const left = x > channels ? (line[x - channels] as number) : 0;
    const up = above[x] as number;
    const upLeft = x > channels ? (above[x - channels] as number) : 0;
    const from =
      filter === 1
        ? left
        : filter === 2
          ? up
          : filter === 3
            ? (left + up) >> 1
            : filter === 4
              ? paeth(left, up, upLeft)
              : 0;
    line[x] = ((line[x] as number) + from) & 0xff;
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : upLeft;
}
