import type { ReactNode } from 'react';
import { useAction } from '../api/action.ts';
import { Button } from './button.tsx';
import { Note } from './notice.tsx';
import { Section } from './page.tsx';
import { StateMark } from './state.tsx';

/** Insights from a model: the buttons that request and stop them, and what they say. */
export function InsightsSection({
  example,
  asked,
  verb,
  about,
  pending,
  problem,
  request,
  stop,
  children,
}: {
  example: ReactNode;
  /** Whether they were requested before. */
  asked: boolean;
  /** Label of the button for the first request. */
  verb: string;
  /** Explains the request; shown before the first one. */
  about: string | undefined;
  pending: boolean;
  problem: string | null | undefined;
  request: () => Promise<unknown>;
  stop?: () => Promise<unknown>;
  children: ReactNode;
}) {
  const requesting = useAction(request, { says: 'Insights requested' });
  const stopping = useAction(async () => stop?.());
  return (
    <Section
      title="Insights"
      actions={
        <>
          {example}
          {pending && stop && (
            <Button variant="quiet" action={stopping}>
              Stop
            </Button>
          )}
          <Button busy={requesting.isPending || pending} onClick={() => requesting.mutate()}>
            {asked ? 'Run again' : verb}
          </Button>
        </>
      }
    >
      {!asked && about !== undefined && <Note>{about}</Note>}
      {pending && <StateMark state="running">running</StateMark>}
      {problem && <Note>{problem}</Note>}
      {children}
    </Section>
  );
}
