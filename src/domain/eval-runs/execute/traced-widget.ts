import type { ShownWidget } from '../../../trials/widgets.ts';

/** Characters of a widget's accessibility tree kept in a trace. */
const maxTree = 20_000;
const maxFrames = 2_000;

/** A widget as shown in the trace of its trial; span times are relative to `started`. */
export function tracedWidget(
  { call, observation, pictureId, video }: ShownWidget,
  started: number,
): Record<string, unknown> {
  const { toolCallId, toolName, server, promptIndex } = call;
  const { snapshot, calls, requests, screenshot: _screenshot, ...seen } = observation;
  return {
    toolCallId,
    toolName,
    serverId: server.id,
    promptIndex,
    ...seen,
    ...(snapshot && { snapshot: { ...snapshot, tree: snapshot.tree.slice(0, maxTree) } }),
    toolCalls: calls.map(({ toolName: called, arguments: input, error }) => ({
      toolName: called,
      arguments: input,
      ...(error !== undefined && { error }),
    })),
    hostRequests: requests,
    ...(pictureId !== undefined && { screenshotBlobId: pictureId }),
    ...(video && {
      videoBlobId: video.blobId,
      videoKind: video.kind,
      videoStartedAt: video.startedAt,
      videoStartMs: video.startedAt - started,
      ...(video.frames && { videoFrames: video.frames.slice(0, maxFrames) }),
    }),
  };
}
