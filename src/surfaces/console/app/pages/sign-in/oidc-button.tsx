import { people, useSubmit } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import { mainButton, Refused } from './entry.tsx';
import { isWebAddress } from './redirect-path.ts';

/** Redirects to the identity provider, which redirects back to `/console/oidc`. */
export function OidcButton({
  name,
  to,
}: {
  name: string;
  /** Console page to open after sign-in. */
  to: string;
}) {
  const start = useSubmit(() => people.startOidc({ body: { returnTo: `/console${to}` } }), {
    onDone: ({ url }) => {
      if (!isWebAddress(url)) throw new Error(`The sign-in URL of ${name} is not an http or https URL.`);
      location.assign(url);
    },
  });
  return (
    <>
      <Refused of={start} />
      {/* Stays busy until the redirect. */}
      <Button className={mainButton} busy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        Sign in with {name}
      </Button>
    </>
  );
}
