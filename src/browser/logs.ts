import type { BrowserContext, Request } from 'playwright-core';
import type { ConsoleEntry, NetworkEntry } from './command.ts';

const maxEntries = 500;
const maxText = 4_000;
const maxUrl = 2_000;
const maxHeaderText = 16_384;

/** The latest entries, and the number of dropped older ones. */
class Tail<T> {
  readonly entries: T[] = [];
  dropped = 0;

  push(entry: T): void {
    this.entries.push(entry);
    if (this.entries.length <= maxEntries) return;
    this.entries.shift();
    this.dropped++;
  }
}

/** Console messages and network requests of the pages of a session. */
export class Logs {
  readonly console = new Tail<ConsoleEntry>();
  readonly network = new Tail<NetworkEntry>();
  private readonly requests = new WeakMap<Request, NetworkEntry>();
  private readonly byId = new Map<string, Request>();
  private asked = 0;

  watch(context: BrowserContext, tabIdOf: (request: Request) => string): void {
    context.on('request', (request) => {
      const entry: NetworkEntry = {
        requestId: `r${++this.asked}`,
        tabId: tabIdOf(request),
        method: request.method(),
        url: request.url().slice(0, maxUrl),
        kind: request.resourceType(),
        at: Date.now(),
      };
      this.requests.set(request, entry);
      this.byId.set(entry.requestId, request);
      this.byId.delete(`r${this.asked - maxEntries}`);
      this.network.push(entry);
    });
    context.on('response', (response) => {
      const entry = this.requests.get(response.request());
      if (!entry) return;
      entry.status = response.status();
      entry.mimeType = (response.headers()['content-type'] ?? '').slice(0, 200);
    });
    const ended = (request: Request): void => {
      const entry = this.requests.get(request);
      if (!entry) return;
      entry.durationMs = Date.now() - entry.at;
      const failure = request.failure()?.errorText;
      if (failure !== undefined) entry.failure = failure.slice(0, 200);
    };
    context.on('requestfinished', ended);
    context.on('requestfailed', ended);
  }

  write(tabId: string, level: string, text: string): void {
    this.console.push({ tabId, level, text: text.slice(0, maxText), at: Date.now() });
  }

  /** A request with its request headers. */
  request(requestId: string): NetworkEntry | undefined {
    const request = this.byId.get(requestId);
    const entry = request && this.requests.get(request);
    if (!request || !entry) return undefined;
    return { ...entry, requestHeaders: shortened(request.headers()) };
  }
}

function shortened(headers: Record<string, string>): Record<string, string> {
  let left = maxHeaderText;
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => {
      left -= name.length + value.length;
      return left >= 0;
    }),
  );
}
