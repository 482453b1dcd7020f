import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type ConsoleOutput, people, useQuery, useSubmit } from '../../api/index.ts';
import { type SignedIn, session, sessionIs, useSignedIn } from '../../api/session.ts';
import { chooseOrganization } from '../../api/session-state.ts';
import { Button } from '../../kit/button.tsx';
import { Field, RequiredField, TextInput } from '../../kit/field.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { Entry, EntryForm, EntryLinks, MutedText, mainButton, Refused, Words } from './entry.tsx';
import { dropKept, forgetToken, keepTokenWhileAway, useLinkToken } from './link-token.ts';
import { NewPasswordField } from './password-field.tsx';

type LinkFacts = ConsoleOutput<'readLink'>;
interface Given {
  name?: string;
  password?: string;
}

/** Aliased, because `useLink` is not a hook. */
const openLink = people.useLink;

export function EnterPage() {
  const token = useLinkToken();
  const known = useQuery(session);
  const link = useQuery({
    queryKey: ['readLink', token],
    queryFn: ({ signal }) => people.readLink({ body: { token: token as string } }, { signal }),
    enabled: token !== undefined && known.isSuccess,
    // Not cached, because the answer depends on who is signed in.
    staleTime: 0,
    gcTime: 0,
  });
  const { using, opened } = useOpening(token);
  useEffect(() => {
    if (link.isFetched) dropKept();
  }, [link.isFetched]);
  if (opened) return <Opening />;
  if (token === undefined) return <NoToken />;
  if (known.isError) return <DeadLink of={known} />;
  if (link.isError) return <DeadLink of={link} />;
  if (!link.data || !known.data) return <Opening />;
  return <Ask link={link.data} using={using} />;
}

type Using = ReturnType<typeof useOpening>['using'];

/** Uses the link, then opens the home page, or the set-up page if the account has no way to sign in. */
function useOpening(token: string | undefined) {
  const navigate = useNavigate();
  const before = useSignedIn();
  const using = useSubmit((given: Given) => openLink({ body: { token: token as string, ...given } }), {
    onDone: (next) => {
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
    return <DeadLink of={{ error: using.error, refetch: () => using.mutate({}) }} />;
  if (link.kind === 'reset') return <ChoosePassword link={link} using={using} />;
  if (link.kind === 'email') return <NewAddress link={link} using={using} signedIn={signedIn} />;
  if (link.kind === 'invitation') return <Invitation link={link} using={using} signedIn={signedIn} />;
  if (signedIn && signedIn.user.email !== link.email)
    return <AnotherAccount link={link} using={using} signedIn={signedIn} />;
  return <OpenImmediately using={using} />;
}

function Opening() {
  return (
    <Entry title="Opening link">
      <Skeleton lines={2} />
    </Entry>
  );
}

function OpenImmediately({ using: { mutate } }: { using: Using }) {
  useEffect(() => mutate({}), [mutate]);
  return <Opening />;
}

function NoToken() {
  return (
    <Entry title="Incomplete link">
      <Words>
        <p>
          The part after <code>#</code> is missing. Copy the whole link into the address bar.
        </p>
      </Words>
      <OtherWays />
    </Entry>
  );
}

function DeadLink({ of }: { of: { error: unknown; refetch: () => unknown } }) {
  useEffect(dropKept, []);
  return (
    <Entry title="This link is not valid">
      <Refused of={of} />
      <MutedText>
        Ask an administrator of your organization for a new invitation or password reset link. Operators can
        run <code>drydock console link</code> on the machine that runs Drydock.
      </MutedText>
      <OtherWays />
    </Entry>
  );
}

function OtherWays() {
  return (
    <EntryLinks>
      <Link to="/sign-in">Sign in</Link>
      <Link to="/forgot">Forgot your password?</Link>
    </EntryLinks>
  );
}

/** Confirms a switch to another account. */
function AnotherAccount({ link, using, signedIn }: { link: LinkFacts; using: Using; signedIn: SignedIn }) {
  return (
    <Entry title="Switch account?">
      <p>
        You are signed in as {signedIn.user.email}. This link signs you in as {link.email} and signs you out
        of your account in this browser. It works once.
      </p>
      <Button
        variant="primary"
        className={mainButton}
        busy={using.isPending}
        onClick={() => using.mutate({})}
      >
        Sign in as {link.email}
      </Button>
      <EntryLinks>
        <Link to="/">Stay signed in as {signedIn.user.email}</Link>
      </EntryLinks>
    </Entry>
  );
}

function ChoosePassword({ link, using }: { link: LinkFacts; using: Using }) {
  const [password, setPassword] = useState('');
  return (
    <Entry title="Set a new password">
      <EntryForm attempt={using} verb="Save and sign in" onSubmit={() => using.mutate({ password })}>
        {' '}
        <OwnAddress email={link.email} />
        <NewPasswordField label="New password" value={password} onChange={setPassword} />
        <MutedText>This signs you out of all other sessions.</MutedText>
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
        {link.email} is invited as <strong>{link.role}</strong>. The invitation works once and expires{' '}
        <Time at={link.expiresAt} />.
      </p>
      {link.needs === 'name and password' && <NewAccount link={link} using={using} />}
      {link.needs === 'nothing' && (
        <Button
          variant="primary"
          className={mainButton}
          busy={using.isPending}
          onClick={() => using.mutate({})}
        >
          Join as {link.role}
        </Button>
      )}
      {link.needs === 'sign-in' && (
        <SignInFirst
          signedIn={signedIn}
          words={`${link.email} has an account. Sign in to accept the invitation.`}
        />
      )}
    </Entry>
  );
}

/** Requires a session of the account, so that access to its mailbox is not enough. */
function NewAddress({ link, using, signedIn }: WithLink) {
  return (
    <Entry title="Confirm your email address">
      {link.needs === 'nothing' ? (
        <>
          <p>
            Your account email will change to {link.email} from {signedIn?.user.email}. Password reset links
            will go there.
          </p>
          <Button
            variant="primary"
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
          words={`Sign in to the account that should use ${link.email}. If you did not request this, ignore it.`}
        />
      )}
    </Entry>
  );
}

function NewAccount({ link, using }: { link: LinkFacts; using: Using }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  return (
    <EntryForm attempt={using} verb="Join" onSubmit={() => using.mutate({ name: name.trim(), password })}>
      {' '}
      <OwnAddress email={link.email} />
      <RequiredField label="Name" autoComplete="name" value={name} onChange={setName} />
      <NewPasswordField label="Password" value={password} onChange={setPassword} />
    </EntryForm>
  );
}

/** The link may be known to others, so it does not sign in to an existing account. */
function SignInFirst({ words, signedIn }: { words: string; signedIn: SignedIn | undefined }) {
  const navigate = useNavigate();
  const leaving = useSubmit(
    async () => {
      keepTokenWhileAway();
      if (signedIn) sessionIs(await people.signOut());
    },
    { onDone: () => navigate({ to: '/sign-in', search: { to: '/enter' } }) },
  );
  return (
    <>
      <p>
        {words} {signedIn && `You are signed in as ${signedIn.user.email}.`}
      </p>
      <Refused of={leaving} />
      <Button variant="primary" className={mainButton} action={leaving}>
        {signedIn ? 'Switch account' : 'Sign in'}
      </Button>
    </>
  );
}

/** Shows the account to users and password managers. */
function OwnAddress({ email }: { email: string }) {
  return (
    <Field label="Email">
      <TextInput type="email" autoComplete="username" readOnly value={email} />
    </Field>
  );
}
