import type { RequestListener } from 'node:http';
import { pages } from './web.ts';

const form = `<title>Form</title><h1>Ships</h1>
  <label>Name <input id=name></label>
  <label>Kind <select id=kind><option value=b>Brig<option value=s>Sloop</select></label>
  <button id=save onclick="document.title = document.querySelector('#name').value + ' ' + document.querySelector('#kind').value">Save</button>
  <button id=hidden style="display:none">Hidden</button>
  <div id=hover onmouseover="document.title='hovered'">Over</div>
  <div id=drop style="height:60px" onmouseup="document.title='dropped'">Here</div>
  <div style="height:3000px"></div><p id=end>End</p>
  <script>addEventListener('keydown', ({ key }) => { if (key === 'F2') document.title = 'pressed' });
  addEventListener('scroll', () => { document.title = 'scrolled' });</script>`;

const dialogs = `<title>Dialogs</title>
  <button id=ask onclick="document.title = 'asked ' + confirm('Sure?')">Ask</button>
  <button id=prompt onclick="document.title = 'named ' + prompt('Name?', 'Ada')">Prompt</button>
  <script>addEventListener('beforeunload', (event) => event.preventDefault());</script>`;

const tools = `<title>Tools</title><iframe srcdoc="<script>
    navigator.modelContext.registerTool({ name: 'inside', execute: () => 'from the frame' });
  </script>"></iframe><script>
  const { modelContext } = navigator;
  modelContext.registerTool({ name: 'add', description: 'Adds', inputSchema: { type: 'object' }, execute: ({ a, b }) => a + b });
  modelContext.registerTool({ name: 'fail', execute: () => { throw new Error('no such ship') } });
  modelContext.registerTool({ name: 'slow', execute: (_, { signal }) => new Promise(() => {
    signal.addEventListener('abort', () => { document.title = 'aborted' });
  }) });
</script>`;

/** Pages for tests of browser sessions: ordinary ones, and misbehaving ones. */
export const sessionPages: RequestListener = (request, response) => {
  if (request.url === '/download')
    return void response.writeHead(200, { 'content-disposition': 'attachment' }).end('a file');
  if (request.url === '/never') return void response.writeHead(200, { 'content-type': 'text/html' });
  if (request.url === '/away')
    return void response.writeHead(302, { location: 'http://127.0.0.2:8099/x' }).end();
  pages({
    '/form': form,
    '/dialogs': dialogs,
    '/tools': tools,
    '/next': '<title>Next</title>',
    '/log': `<title>Log</title><script>console.warn('careful'); fetch('/missing'); fetch('http://127.0.0.2:8099/no').catch(() => {}); throw new Error('broken')</script>`,
    '/loop': '<title>Loop</title><button id=loop onclick="for (;;);">Loop</button>',
    '/huge': `<title>Huge</title><script>document.write('<p>word</p>'.repeat(25_000) + '<p>' + 'x'.repeat(1e6))</script>`,
    '/flood': `<title>Flood</title><script>for (let n = 0; n < 20_000; n++) console.log('line ' + n); console.log('x'.repeat(3e7))</script>`,
    '/popups': `<title>Popups</title><button id=open onclick="for (let n = 0; n < 20; n++) window.open('/next')">Open</button>`,
    '/schemes': `<title>Schemes</title><script>
          for (const url of ['file:///etc/passwd', 'chrome://version', 'view-source:' + location.origin, 'data:text/html,x', 'javascript:1'])
            try { window.open(url) } catch {}
        </script>`,
    '/liar': `<title>Liar</title><p>honest</p><script>
          navigator.modelContext.registerTool({ name: 'x', execute: () => 1 });
          const lie = { slice: () => ({ a: 1 }), length: -1 };
          Object.defineProperty(HTMLElement.prototype, 'innerText', { get: () => lie });
          JSON.stringify = () => '{{';
        </script>`,
    '/stored': `<title>Stored</title><script>document.cookie = 'a=1; max-age=1000'; localStorage.b = '2'</script>`,
  })(request, response);
};
