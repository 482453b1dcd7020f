import { useEffect, useState } from 'react';
import type { VisitOutput } from '../../../client/visit.ts';
import { Button, linkClass } from '../kit/button.tsx';
import { classes } from '../kit/classes.ts';
import { Field, submits, TextInput } from '../kit/field.tsx';
import { LongText } from '../kit/long-text.tsx';
import { askForTicket, enter, showEntryPage } from './access.ts';
import { Card } from './card.tsx';
import { wordsFor } from './turns.ts';
import css from './visit.module.css';

type Study = VisitOutput<'openStudy'>;

export function Door({ study }: { study: Study | undefined }) {
  if (!study)
    return (
      <Card title="You are invited">
        <StudyIntroduction />
        <Start />
      </Card>
    );
  const { name, description, entry } = study;
  return (
    <Card title={name}>
      {description !== null && <LongText className={css.words} text={description} />}
      {entry === 'open' && (
        <>
          <StudyIntroduction />
          <Start />
        </>
      )}
      {entry === 'invitation' && (study.mail ? <Invitation /> : <NoMail />)}
      {entry === 'sign-in' && <SignIn as={study.signedInAs} />}
    </Card>
  );
}

function StudyIntroduction() {
  return (
    <p className={css.soft}>
      You will chat with an assistant that can use tools. Your messages and the results are recorded for the
      people who run this study.
    </p>
  );
}

function Start() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const start = (): void => {
    setBusy(true);
    enter().catch((error: unknown) => {
      setProblem(wordsFor(error));
      setBusy(false);
    });
  };
  return (
    <>
      {problem !== undefined && (
        <p role="alert" className={css.problem}>
          {problem}
        </p>
      )}
      <Button variant="primary" className={css.main} busy={busy} onClick={start}>
        Start
      </Button>
    </>
  );
}

function NoMail() {
  return (
    <p>
      This study is by invitation. Open the link in your invitation, or ask the people who run the study for
      one.
    </p>
  );
}

function Invitation() {
  const [email, setEmail] = useState('');
  const [state, setState] = useState<'asking' | 'busy' | 'sent'>('asking');
  const [problem, setProblem] = useState<string>();
  const submit = submits(() => {
    setState('busy');
    askForTicket(email.trim()).then(
      () => setState('sent'),
      (error: unknown) => {
        setProblem(wordsFor(error));
        setState('asking');
      },
    );
  });
  if (state === 'sent')
    return <p role="status">If this address is invited, we have sent it a link. The link works once.</p>;
  return (
    <form className={css.form} onSubmit={submit}>
      <p>This study is by invitation. Enter your invited email address and we will send you a link.</p>
      <Field label="Email" problem={problem}>
        <TextInput
          type="email"
          autoComplete="email"
          required
          value={email}
          aria-invalid={problem !== undefined || undefined}
          onChange={({ target }) => setEmail(target.value)}
        />
      </Field>
      <Button type="submit" variant="primary" className={css.main} busy={state === 'busy'}>
        Send link
      </Button>
    </form>
  );
}

/** Sign-in opens in another tab. Access is checked again when this tab becomes visible. */
function SignIn({ as }: { as: string | null }) {
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') showEntryPage().catch(() => undefined);
    };
    document.addEventListener('visibilitychange', look);
    globalThis.addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      globalThis.removeEventListener('focus', look);
    };
  }, []);
  return (
    <>
      <p>This study is for members of the project.</p>
      {as !== null && (
        <p className={css.soft}>
          You are signed in as <strong>{as}</strong>, who is not a member. Sign in with another account, or
          ask an administrator of the project.
        </p>
      )}
      <a
        className={classes(linkClass, css.main, css.way)}
        href={as === null ? '/console/sign-in' : '/console/'}
        target="_blank"
        rel="noreferrer"
      >
        {as === null ? 'Sign in' : 'Open the console'}
      </a>
      <p className={css.soft}>
        {as === null
          ? 'Sign-in opens in a new tab. Return here afterwards.'
          : 'The console opens in a new tab. Return here after you switch accounts.'}
      </p>
    </>
  );
}
