import { useNavigate } from '@tanstack/react-router';
import { Dialog } from '../../kit/dialog.tsx';
import { FileEditor } from './file-editor.tsx';

const example = `schemaVersion: "2"
suite: { id: my-suite, name: My suite }
target:
  servers: [{ name: demo }]
defaults:
  model: drydock/rehearsal
  iterations: 5
  passThreshold: 0.8
cases:
  - id: lists-ships
    title: Lists ships
    steps:
      - { id: ask, kind: prompt, prompt: List a few ships of the harbour. }
    assertions:
      - { type: responseContains, needle: Albatross }
`;

export function ImportFile({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Dialog onClose={onClose} title="Import a suite file" wide>
      <FileEditor
        projectId={projectId}
        initial={example}
        onSynced={({ suite }) =>
          void navigate({
            to: '/projects/$projectId/suites/$suiteId',
            params: { projectId, suiteId: suite.id },
          })
        }
      />
    </Dialog>
  );
}
