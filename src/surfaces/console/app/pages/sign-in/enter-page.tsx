import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ConsoleOutput } from '../../../../client/console.ts';
import { people } from '../../api/client.ts';
import { type SignedIn, session, sessionIs, useSignedIn } from '../../api/session.ts';
import { chooseOrganization } from '../../api/session-state.ts';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { Entry, EntryForm, mainButton, Refused, Soft, SubmitButton, Ways, Words } from './entry.tsx';
import { dropKept, forgetToken, keepTokenWhileAway, useLinkToken } from './link-token.ts';
import { NewPasswordField } from './password-field.tsx';

type LinkFacts = ConsoleOutput<'readLink'>;
interface Given {
  name?: string;
  password?: string;
}

/** Called by another name: it is no hook. */
const openLink = people.useLink;

/** What a link leads to: it says what it is for and asks for what is missing. */
export function EnterPage() {
  const token = useLinkToken();
  const known = useQuery(session);
  const link = useQuery({
    queryKey: ['readLink', token],
    queryFn: ({ signal }) => people.readLink({ body: { token: token as string } }, { signal }),
    enabled: token !== undefined && known.isSuccess,
    // Somebody may have signed in since.
    staleTime: 0,
    gcTime: 0,
  });
  const { using, opened } = useOpening(token);
  useEffect(() => {
    if (link.isFetched) dropKept();
  }, [link.isFetched]);
  if (opened) return <Opening />;
  if (token === undefined) return <NoToken />;
  if (known.isError) return <DeadLink error={known.error} retry={() => void known.refetch()} />;
  if (link.isError) return <DeadLink error={link.error} retry={() => void link.refetch()} />;
  if (!link.data || !known.data) return <Opening />;
  return <Ask link={link.data} using={using} />;
}

type Using = ReturnType<typeof useOpening>['using'];

/** Uses the link, and goes on to where somebody who came by it has something to do. */
function useOpening(token: string | undefined) {
  const navigate = useNavigate();
  const before = useSignedIn();
  const using = useMutation({
    mutationFn: (given: Given) => openLink({ body: { token: token as string, ...given } }),
    onSuccess: (next) => {
      forgetToken();
      const joined = before && newOrganization(before, next);
      if (joined !== undefined) chooseOrganization(joined);
      sessionIs(next);
      const ready = next.user.hasPassword || next.user.identities.length > 0;
      void navigate({ to: ready ? '/' : '/set-up', replace: true });
    },
  });
  return { using, opened: using.isSuccess };
}

function newOrganization(before: SignedIn, next: SignedIn): string | undefined {
  if (before.user.id !== next.user.id) return undefined;
  return next.organizations.find(({ id }) => !before.organizations.some((one) => one.id === id))?.id;
}

function Ask({ link, using }: { link: LinkFacts; using: Using }) {
  const signedIn = useSignedIn();
  if (using.error && using.variables?.password === undefined)
    return <DeadLink error={using.error} retry={() => using.mutate({})} />;
  if (link.kind === 'reset') return <ChoosePassword link={link} using={using} />;
  if (link.kind === 'email') return <NewAddress link={link} using={using} signedIn={signedIn} />;
  if (link.kind === 'invitation') return <Invitation link={link} using={using} signedIn={signedIn} />;
  if (signedIn && signedIn.user.email !== link.email)
    return <AnotherAccount link={link} using={using} signedIn={signedIn} />;
  return <OpensAtOnce using={using} />;
}

function Opening() {
  return (
    <Entry title="Opening the link">
      <Skeleton lines={2} />
    </Entry>
  );
}

function OpensAtOnce({ using: { mutate } }: { using: Using }) {
  useEffect(() => mutate({}), [mutate]);
  return <Opening />;
}

function NoToken() {
  return (
    <Entry title="The link is not complete">
      <Words>
        <p>
          The part behind <code>#</code> is missing, and with it what the link is for. Copy the whole link
          into the address bar.
        </p>
      </Words>
      <OtherWays />
    </Entry>
  );
}

function DeadLink({ error, retry }: { error: unknown; retry: () => void }) {
  useEffect(dropKept, []);
  return (
    <Entry title="This link does not open">
      <Refused error={error} retry={retry} />
      <Soft>
        Invitations and links to a new password come from an administrator of your organization. Whoever runs
        the installation gets in with <code>drydock console link</code> on the machine.
      </Soft>
      <OtherWays />
    </Entry>
  );
}

function OtherWays() {
  return (
    <Ways>
      <Link to="/sign-in">Sign in</Link>
      <Link to="/forgot">Forgot your password?</Link>
    </Ways>
  );
}

/** Nobody finds themselves in another account without having been asked. */
function AnotherAccount({ link, using, signedIn }: { link: LinkFacts; using: Using; signedIn: SignedIn }) {
  return (
    <Entry title="Enter another account?">
      <p>
        You are signed in as {signedIn.user.email}. This link opens the account of {link.email}, once, and
        signs you out of yours in this browser.
      </p>
      <Button look="primary" className={mainButton} busy={using.isPending} onClick={() => using.mutate({})}>
        Enter as {link.email}
      </Button>
      <Ways>
        <Link to="/">Stay signed in as {signedIn.user.email}</Link>
      </Ways>
    </Entry>
  );
}

function ChoosePassword({ link, using }: { link: LinkFacts; using: Using }) {
  const [password, setPassword] = useState('');
  return (
    <Entry title="Choose a new password">
      <EntryForm onSubmit={() => using.mutate({ password })}>
        <OwnAddress email={link.email} />
        <NewPasswordField label="New password" value={password} onChange={setPassword} />
        <Soft>It ends every other session of the account.</Soft>
        {using.isError && <Refused error={using.error} />}
        <SubmitButton attempt={using}>Save and sign in</SubmitButton>
      </EntryForm>
    </Entry>
  );
}

interface WithLink {
  link: LinkFacts;
  using: Using;
  signedIn: SignedIn | undefined;
}

function Invitation({ link, using, signedIn }: WithLink) {
  const organization = link.organizationName ?? 'an organization';
  return (
    <Entry title={`Join ${organization}`}>
      <p>
        {link.email} is invited as <strong>{link.role}</strong>. The invitation works once, until{' '}
        <Time at={link.expiresAt} />.
      </p>
      {link.needs === 'name and password' && <NewAccount link={link} using={using} />}
      {link.needs === 'nothing' && (
        <Button look="primary" className={mainButton} busy={using.isPending} onClick={() => using.mutate({})}>
          Join as {link.role}
        </Button>
      )}
      {link.needs === 'sign-in' && (
        <SignInFirst
          signedIn={signedIn}
          words={`${link.email} has an account here. Sign in with it, and you come back here to accept.`}
        />
      )}
    </Entry>
  );
}

/** Whoever asked for it is signed in; anybody else who gets the mail enters nothing with it. */
function NewAddress({ link, using, signedIn }: WithLink) {
  return (
    <Entry title="Confirm your e-mail address">
      {link.needs === 'nothing' ? (
        <>
          <p>
            Your account gets the address {link.email} in place of {signedIn?.user.email}. Links to a new
            password go there from now on.
          </p>
          <Button
            look="primary"
            className={mainButton}
            busy={using.isPending}
            onClick={() => using.mutate({})}
          >
            Use {link.email}
          </Button>
        </>
      ) : (
        <SignInFirst
          signedIn={signedIn}
          words={`Sign in to the account that is to have the address ${link.email}. If you did not ask for this, there is nothing to do.`}
        />
      )}
    </Entry>
  );
}

function NewAccount({ link, using }: { link: LinkFacts; using: Using }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  return (
    <EntryForm onSubmit={() => using.mutate({ name: name.trim(), password })}>
      <OwnAddress email={link.email} />
      <Field label="Name">
        <TextInput
          autoComplete="name"
          required
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      <NewPasswordField label="Password" value={password} onChange={setPassword} />
      {using.isError && <Refused error={using.error} />}
      <SubmitButton attempt={using}>Join</SubmitButton>
    </EntryForm>
  );
}

/** Others know the link, so that it does not open an account that there is. */
function SignInFirst({ words, signedIn }: { words: string; signedIn: SignedIn | undefined }) {
  const navigate = useNavigate();
  const leaving = useMutation({
    mutationFn: async () => {
      keepTokenWhileAway();
      if (signedIn) sessionIs(await people.signOut());
    },
    onSuccess: () => navigate({ to: '/sign-in', search: { to: '/enter' } }),
  });
  return (
    <>
      <p>
        {words} {signedIn && `You are signed in as ${signedIn.user.email}.`}
      </p>
      {leaving.isError && <Refused error={leaving.error} />}
      <Button look="primary" className={mainButton} busy={leaving.isPending} onClick={() => leaving.mutate()}>
        {signedIn ? 'Sign out and sign in again' : 'Sign in first'}
      </Button>
    </>
  );
}

/** Whose password it will be: people see it, and so does what keeps their passwords. */
function OwnAddress({ email }: { email: string }) {
  return (
    <Field label="E-mail">
      <TextInput type="email" autoComplete="username" readOnly value={email} />
    </Field>
  );
}
