import { useMutation } from '@tanstack/react-query';
import { people } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { mainButton, Refused } from './entry.tsx';
import { isWebAddress } from './where-to.ts';

/** Leads to the provider, which sends the browser back to `/console/oidc`. */
export function OidcButton({
  name,
  to,
  words = `Sign in with ${name}`,
  wide = true,
}: {
  name: string;
  /** The page of the console to go on to. */
  to: string;
  words?: string;
  wide?: boolean;
}) {
  const start = useMutation({
    mutationFn: () => people.startOidc({ body: { returnTo: `/console${to}` } }),
    onSuccess: ({ url }) => {
      if (!isWebAddress(url)) throw new Error(`The address of ${name} is not one of the web.`);
      location.assign(url);
    },
  });
  return (
    <>
      {start.isError && <Refused error={start.error} />}
      {/* On the way the page stays as it is. */}
      <Button
        className={wide ? mainButton : undefined}
        busy={start.isPending || start.isSuccess}
        onClick={() => start.mutate()}
      >
        {words}
      </Button>
    </>
  );
}
