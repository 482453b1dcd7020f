import type { Frame, Page } from 'playwright-core';
import { isDeeper, maxDepth } from '../platform/json/bounds.ts';
import type { InvokeCommand, PageTool } from './command.ts';
import { BrowserFailure } from './failure.ts';
import { cancelPageTool, invokePageTool, listPageTools } from './in-page.ts';

const maxTools = 100;
const maxFrames = 20;
const maxOutput = 256 * 1024;
/** Maximum characters of the JSON of a frame's tools. */
const maxListed = 4 * 1024 * 1024;
/** Maximum number of running invocations that are remembered, so that they can be cancelled. */
const maxRemembered = 100;

/** The tools that the pages of a session offer to agents. */
export class PageTools {
  private readonly frames = new WeakMap<Frame, string>();
  private named = 0;
  private invoked = 0;
  private readonly running = new Map<string, Frame>();

  async list(page: Page): Promise<PageTool[]> {
    const lists = await Promise.all(
      page
        .frames()
        .slice(0, maxFrames)
        .map(async (frame) => {
          const frameId = this.idOf(frame);
          // A frame that closes meanwhile has no tools.
          const listed = parsed(await frame.evaluate(listPageTools, maxTools).catch(() => '[]'), maxListed);
          return (Array.isArray(listed) ? listed : []).map((tool) => toolOf(frameId, tool));
        }),
    );
    return lists.flat().slice(0, maxTools);
  }

  begin(): string {
    return `inv${++this.invoked}`;
  }

  async invoke(page: Page, command: InvokeCommand, invocationId: string): Promise<unknown> {
    const [frameId, name] = partsOf(command);
    const frame = page.frames().find((one) => this.idOf(one) === frameId);
    if (!frame)
      throw new BrowserFailure('refused', `There is no frame ${frameId}; observe page_tools lists them`);
    this.running.set(invocationId, frame);
    if (this.running.size > maxRemembered) this.running.delete([...this.running.keys()][0] ?? '');
    const text = await frame.evaluate(invokePageTool, {
      name,
      input: command.input,
      invocationId,
      most: maxOutput,
    });
    this.running.delete(invocationId);
    const outcome = parsed(text, 2 * maxOutput) as {
      missing?: unknown;
      problem?: unknown;
      output?: unknown;
    };
    if (outcome.missing)
      throw new BrowserFailure(
        'refused',
        `The page has no tool ${command.toolKey}; observe page_tools lists them`,
      );
    return outcome.problem === undefined
      ? { output: outcome.output }
      : { error: typeof outcome.problem === 'string' ? outcome.problem : 'The page tool failed' };
  }

  async cancel(invocationId: string): Promise<void> {
    const frame = this.running.get(invocationId);
    const found = (await frame?.evaluate(cancelPageTool, invocationId)) ?? false;
    if (!found) throw new BrowserFailure('refused', `No running invocation ${invocationId}`);
  }

  private idOf(frame: Frame): string {
    if (frame.parentFrame() === null) return 'main';
    const known = this.frames.get(frame) ?? `frame${++this.named}`;
    this.frames.set(frame, known);
    return known;
  }
}

/** Parses the result of a function that ran in a page. A page can override it, so the result may be anything. */
function parsed(text: unknown, most: number): unknown {
  if (typeof text !== 'string' || text.length > most)
    return { problem: `The page answered with something that is not JSON of at most ${most} characters` };
  try {
    const value: unknown = JSON.parse(text) ?? {};
    return isDeeper(value) ? { problem: `The page answered with more than ${maxDepth} levels` } : value;
  } catch {
    return { problem: 'The page answered with something that is not JSON' };
  }
}

function toolOf(frameId: string, listed: { [Key in keyof PageTool]?: unknown } | null): PageTool {
  const name = String(listed?.name).slice(0, 128);
  const description = String(listed?.description).slice(0, 4_000);
  return {
    toolKey: keyOf(frameId, name),
    frameId,
    name,
    description,
    inputSchema: listed?.inputSchema ?? null,
  };
}

function keyOf(frameId: string, name: string): string {
  return frameId === 'main' ? name : `${frameId}/${name}`;
}

function partsOf({ toolKey, frameId }: InvokeCommand): [string, string] {
  const [, inKey, name = toolKey] = /^(frame\d+)\/(.*)$/s.exec(toolKey) ?? [];
  return [inKey ?? frameId ?? 'main', name];
}
