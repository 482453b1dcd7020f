import { useEffect, useState } from 'react';
import { DrydockError } from '../../../../client/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { cut } from '../../kit/text.ts';
import { duration } from '../../kit/time.tsx';
import type { Rendering } from './use-rendering.ts';
import { WidgetSeen } from './widget-seen.tsx';
import css from './widgets.module.css';

/** The rendered widget of the tool that was just called, or why there is none. */
export function RenderedWidget({
  which,
  rendering: { start, isPending, asked, result, error },
}: {
  which: { projectId: string; serverId: string };
  rendering: Rendering;
}) {
  if (!asked) return null;
  if (isPending) return <Waiting />;
  if (error) return <Problem error={error} advice={adviceFor(error)} retry={() => start(asked)} />;
  if (!result) return null;
  const { mimeType, base64 } = result.screenshot ?? {};
  return (
    <WidgetSeen
      given={result}
      name={`Widget of ${cut(asked.toolName)}`}
      actions={
        <ApiExample
          operation="renderServerWidget"
          input={{ ...which, body: { ...asked, includeScreenshot: true } }}
        />
      }
    >
      {mimeType === 'image/png' && (
        <img
          className={css.picture}
          src={`data:image/png;base64,${base64}`}
          alt={`Widget of ${cut(asked.toolName)} as rendered`}
        />
      )}
    </WidgetSeen>
  );
}

/** The elapsed time is hidden from screen readers, which would repeat it. */
function Waiting() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Note>
      Calling the tool and opening its widget in the service's browser.{' '}
      <span aria-hidden="true">{seconds > 0 && `${duration(seconds * 1_000)} elapsed.`}</span>
    </Note>
  );
}

function adviceFor(error: Error): string | undefined {
  if (!(error instanceof DrydockError)) return undefined;
  if (error.code === 'RATE_LIMITED') return 'All browsers are in use. Try again in a moment.';
  if (error.details['reason'] === 'BROWSER_UNAVAILABLE')
    return 'Install Chromium or set DRYDOCK_BROWSER to its path, then restart the service.';
  return undefined;
}
