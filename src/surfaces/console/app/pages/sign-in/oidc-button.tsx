import { people, useSubmit } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import { mainButton, Refused } from './entry.tsx';
import { isWebAddress } from './where-to.ts';

/** Leads to the provider, which sends the browser back to `/console/oidc`. */
export function OidcButton({
  name,
  to,
}: {
  name: string;
  /** The page of the console to go on to. */
  to: string;
}) {
  const start = useSubmit(() => people.startOidc({ body: { returnTo: `/console${to}` } }), {
    onDone: ({ url }) => {
      if (!isWebAddress(url)) throw new Error(`The address of ${name} is not an http or https URL.`);
      location.assign(url);
    },
  });
  return (
    <>
      {start.isError && <Refused error={start.error} />}
      {/* On the way the page stays as it is. */}
      <Button className={mainButton} busy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        Sign in with {name}
      </Button>
    </>
  );
}
