import { createRoot } from 'react-dom/client';
import { Button } from '../kit/button.tsx';
import { stage, start } from './access.ts';
import { Card, MessagePage } from './card.tsx';
import { Door } from './door.tsx';
import { Inside } from './inside.tsx';
import '../base.css';

function Page() {
  const now = stage.use();
  switch (now.at) {
    case 'loading':
      return null;
    case 'door':
      return <Door study={now.study} />;
    case 'inside':
      return <Inside visit={now.visit} />;
    case 'closed':
      return <MessagePage>{now.message}</MessagePage>;
    case 'away':
      return (
        <Card title="The service cannot be reached">
          <p>Check your connection.</p>
          <Button variant="primary" onClick={() => void start()}>
            Try again
          </Button>
        </Card>
      );
  }
}

// Another link in the same window starts another visit.
globalThis.addEventListener('hashchange', () => location.reload());
const app = document.getElementById('app') as HTMLElement;
const onUncaughtError = (): void => {
  app.textContent = 'Something failed on this page. Reload it.';
};
createRoot(app, { onUncaughtError }).render(<Page />);
void start();
