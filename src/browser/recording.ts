import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tab } from './tabs.ts';

const maxBytes = 60 * 1024 * 1024;
/** Milliseconds between two checks of a video's size. */
const lookEvery = 1_000;
const framesPerSecond = 10;
/** JPEG quality of recorded pictures, from 0 to 100. */
const quality = 50;

/** The recording of one tab. */
export interface RecordedPart {
  tabId: string;
  /** `frames`: the file contains concatenated JPEG pictures, with offsets and times in `frames`. */
  kind: 'webm' | 'frames';
  path: string;
  startedAt: number;
  frames: { at: number; offset: number; length: number }[];
}

export interface Recording {
  parts: RecordedPart[];
  bytes: number;
  /** Whether it was stopped at the size limit. */
  truncated: boolean;
}

interface RecorderOptions {
  folder: string;
  /** Whether ffmpeg is available. */
  video: boolean;
  limit?: number | undefined;
}

/** Records a session: as video with ffmpeg, otherwise as pictures. Files exist until `discard`. */
export class Recorder {
  private readonly folder: string;
  private readonly video: boolean;
  private readonly parts: RecordedPart[] = [];
  private readonly files = new Set<WriteStream>();
  private readonly stops = new Map<Tab, () => Promise<void>>();
  private readonly limit: number;
  private frameBytes = 0;
  private truncated = false;
  private ended = false;
  private readonly looking: NodeJS.Timeout;

  constructor({ folder, video, limit = maxBytes }: RecorderOptions) {
    this.folder = folder;
    this.video = video;
    this.limit = limit;
    this.looking = setInterval(() => void this.look(), lookEvery).unref();
  }

  /** Records a tab until it closes or the recording ends. */
  async begin(tab: Tab): Promise<void> {
    if (this.ended) return;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const size = tab.page.viewportSize() ?? { width: 1280, height: 720 };
    if (!(this.video && (await this.beginVideo(tab, size)))) await this.beginFrames(tab, size);
    this.stops.set(tab, () => tab.page.screencast.stop().catch(() => {}));
  }

  async finish(): Promise<Recording> {
    if (!this.ended) {
      this.ended = true;
      clearInterval(this.looking);
      await Promise.all([...this.stops.values()].map((stop) => stop()));
      await Promise.all([...this.files].map((file) => new Promise<void>((done) => file.end(done))));
    }
    return { parts: this.parts, bytes: await this.bytes(), truncated: this.truncated };
  }

  async discard(): Promise<void> {
    await this.finish();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async beginVideo(tab: Tab, size: { width: number; height: number }): Promise<boolean> {
    const path = join(this.folder, `${tab.id}.webm`);
    try {
      await tab.page.screencast.start({ path, size });
    } catch {
      return false;
    }
    this.parts.push({ tabId: tab.id, kind: 'webm', path, startedAt: Date.now(), frames: [] });
    return true;
  }

  private async beginFrames(tab: Tab, size: { width: number; height: number }): Promise<void> {
    const path = join(this.folder, `${tab.id}.jpegs`);
    const part: RecordedPart = { tabId: tab.id, kind: 'frames', path, startedAt: Date.now(), frames: [] };
    const file = createWriteStream(path, { mode: 0o600 });
    file.on('error', () => {});
    this.files.add(file);
    this.parts.push(part);
    let offset = 0;
    const onFrame = ({ data }: { data: Buffer }): void => {
      if (this.ended) return;
      if (this.frameBytes + data.length > this.limit) return this.stopAtLimit();
      part.frames.push({ at: Date.now(), offset, length: data.length });
      offset += data.length;
      this.frameBytes += data.length;
      file.write(data);
    };
    await tab.page.screencast.start({ onFrame, size, quality, fps: framesPerSecond }).catch(() => {});
  }

  private stopAtLimit(): void {
    this.truncated = true;
    void this.finish();
  }

  private async look(): Promise<void> {
    if ((await this.bytes()) > this.limit) this.stopAtLimit();
  }

  private async bytes(): Promise<number> {
    const sizes = this.parts.map(async ({ kind, path }) =>
      kind === 'frames' ? 0 : ((await stat(path).catch(() => undefined))?.size ?? 0),
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, this.frameBytes);
  }
}
