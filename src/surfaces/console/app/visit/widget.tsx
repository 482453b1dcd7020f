// Must precede the bridge, which creates schemas when it is loaded.
import '../../../../widgets/without-eval.ts';

import { useEffect, useRef, useState } from 'react';
import { bounds } from '../../../../widgets/bounds.ts';
import { type Answered, Bridge } from '../../../../widgets/bridge.ts';
import { withOpenAi } from '../../../../widgets/open-ai.ts';
import type { VisitOutput } from '../../../client/visit.ts';
import { Button, linkClass } from '../kit/button.tsx';
import { Json } from '../kit/code.tsx';
import { cut } from '../kit/text.ts';
import { visit } from './access.ts';
import { Question } from './question.tsx';
import { wordsFor } from './turns.ts';
import css from './visit.module.css';

// Aliased, because hook rules forbid calling `use…` functions outside components.
const ask = visit.useVisitWidget;

type Opened = VisitOutput<'openVisitWidget'>;

/** Heights in pixels. */
const lowest = 50;
const highest = 1_200;
const atFirst = 240;

interface WidgetRef {
  sessionId: string;
  toolCallId: string;
}

interface Wish {
  kind: 'tool' | 'link';
  name: string;
  arguments?: Record<string, unknown>;
  answer: (granted: boolean) => void;
}

/** Loads the UI resource of a tool call and renders it. */
export function Widget({ tool, asksFirst, ...which }: WidgetRef & { tool: string; asksFirst: boolean }) {
  const { sessionId, toolCallId } = which;
  const [opened, setOpened] = useState<Opened>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const ends = new AbortController();
    const open = async (): Promise<void> => {
      const which = { visitSessionId: sessionId, body: { toolCallId } };
      try {
        const read = await visit.openVisitWidget(which, { signal: ends.signal });
        setOpened(read);
        setProblem(read.problem);
      } catch (error) {
        if (!ends.signal.aborted) setProblem(wordsFor(error));
      }
    };
    void open();
    return () => ends.abort();
  }, [sessionId, toolCallId]);
  if (problem !== undefined)
    return (
      <p className={css.closedWidget}>
        The widget of {tool} cannot be opened: {cut(problem)}
      </p>
    );
  if (opened?.html === undefined) return <p className={css.closedWidget}>Loading…</p>;
  return <Shown which={which} tool={tool} asksFirst={asksFirst} opened={opened} html={opened.html} />;
}

function Shown({
  which: { sessionId, toolCallId },
  tool,
  asksFirst,
  opened,
  html,
}: {
  which: WidgetRef;
  tool: string;
  asksFirst: boolean;
  opened: Opened;
  html: string;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(atFirst);
  const [wishes, setWishes] = useState<readonly Wish[]>([]);
  useEffect(() => {
    const element = frame.current as HTMLIFrameElement;
    const { csp, input, result, openAi } = opened;
    const wish = (wanted: Omit<Wish, 'answer'>): Promise<boolean> =>
      new Promise((resolve) => {
        const answer = (granted: boolean): void => {
          setWishes((all) => all.filter((one) => one !== asked));
          resolve(granted);
        };
        const asked: Wish = { ...wanted, answer };
        setWishes((all) => [...all, asked]);
      });
    const request = (body: Parameters<typeof ask>[0]['body']): Promise<Answered> =>
      ask({ visitSessionId: sessionId, body });
    const bridge = new Bridge({
      tool: opened.tool,
      input,
      result,
      csp,
      viewport: { width: element.clientWidth, height: highest },
      version: '1',
      callTool: async (name, args) => {
        if (asksFirst && !(await wish({ kind: 'tool', name, arguments: args })))
          return { refusal: 'The viewer did not allow it' };
        return request({ method: 'tools/call', toolCallId, name, arguments: args });
      },
      readResource: (uri) => request({ method: 'resources/read', toolCallId, uri }),
      openLink: (url) => wish({ kind: 'link', name: new URL(url).href }),
      send: async (text) => element.contentWindow?.postMessage(JSON.parse(text), '*'),
      resize: (wanted) => setHeight(Math.min(Math.max(lowest, wanted), highest)),
    });
    const shown = openAi ? withOpenAi(html, { input, result, height: highest }) : html;
    // The frame exists by then. Sent once, so that pages it navigates to later get no data.
    const load = (): void => element.contentWindow?.postMessage(shown, '*');
    element.addEventListener('load', load, { once: true });
    const stop = listenTo(element, (text) => bridge.receive(text));
    element.src = `/visit/frame?csp=${encodeURIComponent(JSON.stringify(csp))}`;
    return () => {
      element.removeEventListener('load', load);
      stop();
    };
  }, [sessionId, toolCallId, asksFirst, opened, html]);
  const [wish] = wishes;
  return (
    <>
      <iframe
        ref={frame}
        className={css.widget}
        title={`Widget of ${tool}`}
        sandbox="allow-scripts allow-forms"
        style={{ height }}
      />
      {wish && <WishCard wish={wish} />}
    </>
  );
}

/** Listens for messages of the frame, limited in size and rate. A sandboxed frame has an opaque origin. */
function listenTo(frame: HTMLIFrameElement, hear: (text: string) => void): () => void {
  let second = 0;
  let inSecond = 0;
  const listen = ({ source, origin, data }: MessageEvent): void => {
    if (source !== frame.contentWindow || origin !== 'null') return;
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, inSecond] = [now, 0];
    if (++inSecond > bounds.perSecond) return;
    try {
      hear(JSON.stringify(data) ?? '');
    } catch {
      // Values that are not JSON are ignored.
    }
  };
  globalThis.addEventListener('message', listen);
  return () => globalThis.removeEventListener('message', listen);
}

function WishCard({ wish: { kind, name, arguments: given, answer } }: { wish: Wish }) {
  if (kind === 'link')
    return (
      <Question title="Open this link in another tab?" name="Open a link?">
        <p className={css.address} dir="ltr">
          {name}
        </p>
        <div className={css.answers}>
          <a
            className={linkClass}
            href={name}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => answer(true)}
          >
            Open
          </a>
          <Button onClick={() => answer(false)}>Cancel</Button>
        </div>
      </Question>
    );
  return (
    <Question
      title={
        <>
          Allow this widget to use the tool <code>{cut(name)}</code>?
        </>
      }
      name={`Allow ${cut(name)}?`}
    >
      <Json value={given} label={`Arguments of ${cut(name)}`} />
      <div className={css.answers}>
        <Button variant="primary" onClick={() => answer(true)}>
          Allow
        </Button>
        <Button onClick={() => answer(false)}>Deny</Button>
      </div>
    </Question>
  );
}
