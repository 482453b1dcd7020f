import { getHeapStatistics } from 'node:v8';

/**
 * Why a request is refused: too many requests or streams, too many bytes of bodies, low memory, or event loop delay.
 */
export const sheddingReasons = ['requests', 'streams', 'bodies', 'memory', 'delay'] as const;
export type SheddingReason = (typeof sheddingReasons)[number];

interface Bounds {
  /** Concurrent requests. */
  requests: number;
  /** Concurrent event streams. */
  streams: number;
  /** Total bytes of the bodies being read or processed. */
  bodies: number;
}

/** Memory in use as a fraction, and a monotonic clock. */
interface Vitals {
  memory: () => number;
  now: () => number;
}

const kib = 1024;
const mib = 1024 * kib;
/** Estimated bytes of heap per running request, mostly for what it reads and returns. */
const heapPerRequest = 256 * kib;
/** Estimated bytes of heap per byte of a body: a parsed body takes several times its size. */
const heapPerBodyByte = 16;
const anonymousShare = 1 / 4;
/** Fraction of memory from which requests are refused, so that running ones can finish. */
const fullThreshold = 0.85;
/**
 * Milliseconds between two measurements of memory, and between two requests admitted while it is full, whose garbage
 * triggers a collection.
 */
const memoryCheckInterval = 50;
const admitInterval = 100;
/** Milliseconds between two ticks, and their average delay from which the process is overloaded. */
const tickInterval = 200;
const overloadDelay = 1_000;
/** Maximum milliseconds of one tick's delay that count, because a suspended machine is not overloaded. */
const maxTickDelay = 3_000;
/** Weight of the last tick in the moving average. */
const weight = 0.1;

/** Derives the limits from the heap size. */
export function boundsFor(heap: number, wanted?: number): Bounds {
  const requests = wanted ?? between(64, heap / heapPerRequest, 2_000);
  return {
    requests,
    streams: requests,
    bodies: between(2 * mib, heap / heapPerBodyByte, 256 * mib),
  };
}

/** `requests` is the configured maximum. Default: derived from the heap size. */
export function loadSheddingForProcess(requests: number | undefined): LoadShedder {
  const bounds = boundsFor(getHeapStatistics().heap_size_limit, requests);
  return new LoadShedder(bounds, { memory: memoryInUse, now: () => performance.now() });
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(Math.floor(value), least), most);
}

/** The fraction of the heap or of the container's memory in use, whichever is higher. */
function memoryInUse(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const container = process.constrainedMemory();
  // Without a container limit the value is zero or larger than any machine.
  const ofContainer = container > 0 && container < 2 ** 50 ? process.memoryUsage.rss() / container : 0;
  return Math.max(used / limit, ofContainer);
}

/**
 * Decides whether to admit a request. Refuses before any work is done; admitted requests always continue, so the limits
 * leave room for them.
 */
export class LoadShedder {
  private readonly bounds: Bounds;
  private readonly vitals: Vitals;
  private requests = 0;
  private streams = 0;
  private bytes = 0;
  private anonymousBytes = 0;
  private anonymousBodies = 0;
  private memory = 0;
  private memoryCheckedAt = -Infinity;
  private admittedAt = -Infinity;
  private averageDelay = 0;
  private ticked: number;
  private readonly timer: NodeJS.Timeout;

  constructor(bounds: Bounds, vitals: Vitals) {
    this.bounds = bounds;
    this.vitals = vitals;
    this.ticked = vitals.now();
    this.timer = setInterval(() => this.tick(), tickInterval).unref();
  }

  /** Returns the reason to refuse a request. If undefined it is admitted, and `leave` must be called at its end. */
  enter(isStream: boolean): SheddingReason | undefined {
    const reason = this.reasonAgainst(isStream);
    if (reason) return reason;
    if (isStream) this.streams++;
    else this.requests++;
    return undefined;
  }

  leave(isStream: boolean): void {
    if (isStream) this.streams--;
    else this.requests--;
  }

  /**
   * Whether to read a body of this size. A single body is always read, because operations have limits of their own.
   * Unauthenticated callers, who may send slowly, get a share of the bytes and of the requests.
   */
  take(size: number, isAnonymous: boolean): boolean {
    const { bytes, anonymousBytes, bounds } = this;
    if (bytes > 0 && bytes + size > bounds.bodies) return false;
    if (isAnonymous && anonymousBytes > 0 && anonymousBytes + size > bounds.bodies * anonymousShare)
      return false;
    if (isAnonymous && this.anonymousBodies >= bounds.requests * anonymousShare) return false;
    this.bytes += size;
    if (isAnonymous) this.anonymousBytes += size;
    if (isAnonymous) this.anonymousBodies++;
    return true;
  }

  giveBack(size: number, isAnonymous: boolean): void {
    this.bytes -= size;
    if (isAnonymous) this.anonymousBytes -= size;
    if (isAnonymous) this.anonymousBodies--;
  }

  underWay(): { requests: number; streams: number; bytes: number } {
    const { requests, streams, bytes } = this;
    return { requests, streams, bytes };
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private reasonAgainst(isStream: boolean): SheddingReason | undefined {
    if (isStream && this.streams >= this.bounds.streams) return 'streams';
    if (!isStream && this.requests >= this.bounds.requests) return 'requests';
    if (this.averageDelay > overloadDelay) return 'delay';
    return this.isFull() ? 'memory' : undefined;
  }

  private isFull(): boolean {
    const now = this.vitals.now();
    if (now - this.memoryCheckedAt >= memoryCheckInterval) {
      this.memoryCheckedAt = now;
      this.memory = this.vitals.memory();
    }
    if (this.memory < fullThreshold) return false;
    if (now - this.admittedAt < admitInterval) return true;
    this.admittedAt = now;
    return false;
  }

  private tick(): void {
    const now = this.vitals.now();
    const late = Math.min(Math.max(0, now - this.ticked - tickInterval), maxTickDelay);
    this.ticked = now;
    this.averageDelay += (late - this.averageDelay) * weight;
  }
}
