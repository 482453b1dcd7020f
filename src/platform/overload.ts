import { getHeapStatistics } from 'node:v8';

/** Why a request is not begun: too many of its sort, too large bodies together, too little memory, or a late event loop. */
export const sheddingReasons = ['requests', 'streams', 'bodies', 'memory', 'delay'] as const;
export type SheddingReason = (typeof sheddingReasons)[number];

interface Bounds {
  /** Requests under way at once. */
  requests: number;
  /** Those that stay open to tell what happens, at once. */
  streams: number;
  /** Bytes of bodies that are being read or worked on, together. */
  bodies: number;
}

/** What a process has used of what it has, as parts of one. */
interface Vitals {
  memory: () => number;
  now: () => number;
}

const kib = 1024;
const mib = 1024 * kib;
/** Heap that a request under way is reckoned with; what it reads and answers is most of it. */
const heapOfRequest = 256 * kib;
/** A body takes several times its size when it has been parsed. */
const heapOfBodyByte = 16;
const partOfStrangers = 1 / 4;
/** Part of the memory from which on nothing is begun: what is under way needs the rest to come to its end. */
const fullFrom = 0.85;
/** Milliseconds between two looks at the memory, and between two that are let in while it is full: their garbage has it cleared. */
const lookEvery = 50;
const letInEvery = 100;
/** Milliseconds between two ticks, and how late they are on average when the process has too much to do. */
const tickEvery = 200;
const lateFrom = 1_000;
/** One tick counts as no later than this: a process that stood still, like a machine that slept, has little to do. */
const latest = 3_000;
/** Weight of the last tick in the average. */
const weight = 0.1;

/** As many as the memory of this process allows. */
export function boundsFor(heap: number, wanted?: number): Bounds {
  const requests = wanted ?? between(64, heap / heapOfRequest, 2_000);
  return {
    requests,
    streams: requests,
    bodies: between(2 * mib, heap / heapOfBodyByte, 256 * mib),
  };
}

/** `requests` are those that the operator wants at once, where that was said. */
export function overloadOfProcess(requests: number | undefined): Overload {
  const bounds = boundsFor(getHeapStatistics().heap_size_limit, requests);
  return new Overload(bounds, { memory: memoryInUse, now: () => performance.now() });
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(Math.floor(value), least), most);
}

/** Of the heap, or of the container that the process is in, whichever is the fuller. */
function memoryInUse(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const container = process.constrainedMemory();
  // Without a container there is none, or one larger than any machine.
  const ofContainer = container > 0 && container < 2 ** 50 ? process.memoryUsage.rss() / container : 0;
  return Math.max(used / limit, ofContainer);
}

/**
 * Decides whether a request is begun. What is under way goes on, so the bounds are such that it fits; whoever is
 * turned away is so before anything was done for them.
 */
export class Overload {
  private readonly bounds: Bounds;
  private readonly vitals: Vitals;
  private requests = 0;
  private streams = 0;
  private bytes = 0;
  private bytesOfStrangers = 0;
  private bodiesOfStrangers = 0;
  private memory = 0;
  private lookedAt = -Infinity;
  private letInAt = -Infinity;
  private lateness = 0;
  private ticked: number;
  private readonly timer: NodeJS.Timeout;

  constructor(bounds: Bounds, vitals: Vitals) {
    this.bounds = bounds;
    this.vitals = vitals;
    this.ticked = vitals.now();
    this.timer = setInterval(() => this.tick(), tickEvery).unref();
  }

  /** Why this one is not begun; undefined when it is, and `leave` is called at its end. */
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
   * Whether a body of this size is read. One alone always is, whatever its size: operations have bounds of their own.
   * Unauthenticated callers, who may send slowly, get a share of the bytes and of the request slots.
   */
  take(size: number, isStranger: boolean): boolean {
    const { bytes, bytesOfStrangers, bounds } = this;
    if (bytes > 0 && bytes + size > bounds.bodies) return false;
    if (isStranger && bytesOfStrangers > 0 && bytesOfStrangers + size > bounds.bodies * partOfStrangers)
      return false;
    if (isStranger && this.bodiesOfStrangers >= bounds.requests * partOfStrangers) return false;
    this.bytes += size;
    if (isStranger) this.bytesOfStrangers += size;
    if (isStranger) this.bodiesOfStrangers++;
    return true;
  }

  giveBack(size: number, isStranger: boolean): void {
    this.bytes -= size;
    if (isStranger) this.bytesOfStrangers -= size;
    if (isStranger) this.bodiesOfStrangers--;
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
    if (this.lateness > lateFrom) return 'delay';
    return this.isFull() ? 'memory' : undefined;
  }

  private isFull(): boolean {
    const now = this.vitals.now();
    if (now - this.lookedAt >= lookEvery) {
      this.lookedAt = now;
      this.memory = this.vitals.memory();
    }
    if (this.memory < fullFrom) return false;
    if (now - this.letInAt < letInEvery) return true;
    this.letInAt = now;
    return false;
  }

  private tick(): void {
    const now = this.vitals.now();
    const late = Math.min(Math.max(0, now - this.ticked - tickEvery), latest);
    this.ticked = now;
    this.lateness += (late - this.lateness) * weight;
  }
}
