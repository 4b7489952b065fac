import type { FromFrame, Handover, ToFrame } from './port.ts'
import { createWire, type Wire } from './wire.ts'

// The page around a mini app: /frame/<domain>. Its policy lets its one frame show pages of that origin only. It speaks with
// the app by messages, and with the client, which frames this page, by a port.

const EXPIRE_EVERY_MS = 1_000
/** No navigation of the client, no downloads. The app keeps its own origin, which is never that of this server. */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox'

const origin = document.querySelector<HTMLMetaElement>('meta[name="app-origin"]')!.content

addEventListener('message', function takePort({ source, origin: from, data, ports: [port] }) {
  const { kind, url } = (data ?? {}) as Partial<Handover>
  if (source !== parent || from !== location.origin || kind !== 'open' || !port) return
  removeEventListener('message', takePort)
  if (URL.canParse(String(url)) && new URL(String(url)).origin === origin) open(String(url), port)
})

function open(url: string, port: MessagePort): void {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', SANDBOX)
  frame.allow = 'clipboard-write'
  frame.referrerPolicy = 'no-referrer'
  frame.title = new URL(url).host
  Object.assign(frame.style, {
    position: 'fixed',
    inset: 0,
    width: '100%',
    height: '100%',
    border: 0,
  })
  document.body.append(frame)
  const app = frame.contentWindow!
  const tell = (message: FromFrame) => port.postMessage(message)
  const post = (message: object) => app.postMessage(message, origin)
  const wire = createWire({
    source: app,
    origin,
    post,
    onCall: (call) => tell({ kind: 'call', ...call }),
    onRefused: (refused) => tell({ kind: 'refused', ...refused }),
    now: () => performance.now(),
  })
  // Before the app is loaded: what it posts at once must not be lost.
  addEventListener('message', (event) => wire.receive(event))
  addEventListener('securitypolicyviolation', ({ blockedURI }) =>
    tell({ kind: 'blocked', url: blockedURI }),
  )
  const timer = setInterval(() => wire.expire(), EXPIRE_EVERY_MS)
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
    if (data.kind === 'end') {
      clearInterval(timer)
      wire.end(data.reason)
      frame.remove()
      port.close()
    } else if (data.kind === 'focus') frame.focus()
    else pass(data, wire, post)
  }
  tell({ kind: 'hello' })
  frame.addEventListener('load', () => tell({ kind: 'loaded' }))
  frame.src = url
}

function pass(
  message: Exclude<ToFrame, { kind: 'end' | 'focus' }>,
  wire: Wire,
  post: (message: object) => void,
): void {
  if (message.kind === 'answer') wire.answer(message.id, message.value)
  else if (message.kind === 'fail') wire.fail(message.id, message.reason)
  else if (message.kind === 'event') post({ type: 'frameEvent', event: message.event })
  else post({ type: 'frameEthProviderEvent', event: message.event, params: message.params })
}
