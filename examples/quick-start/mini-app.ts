// A mini app: a page that runs inside the web client and knows who uses it, and a server that verifies its users and notifies them.
// Run: node examples/quick-start/mini-app.ts http://127.0.0.1:2290
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createVerifyAppKeyWithHub, parseWebhookEvent } from '@farcaster/miniapp-node'
import { createClient } from '@farcaster/quick-auth'

const [url = 'http://127.0.0.1:2290'] = process.argv.slice(2)
const quickAuthOrigin = `${url}/platform`
const quickAuth = createClient({ origin: quickAuthOrigin })
const verifyAppKey = createVerifyAppKeyWithHub(url)
const sdk = createRequire(import.meta.url).resolve('@farcaster/miniapp-sdk')
const MAX_BODY_BYTES = 64 * 1024

const PAGE = `<!doctype html><meta charset="utf-8"><title>Greeter</title>
<script src="/sdk.js"></script>
<h1 id="hello">This page runs inside a client.</h1>
<button id="add">Add</button> <button id="who">Who am I?</button>
<script>
  const { sdk } = miniapp
  sdk.context.then(({ user }) => {
    hello.textContent = 'Hello ' + (user.displayName ?? user.username ?? user.fid)
    return sdk.actions.ready() // the client shows the page
  })
  add.onclick = () => sdk.actions.addMiniApp()
  who.onclick = async () => {
    const { token } = await sdk.quickAuth.getToken({ quickAuthServerOrigin: '${quickAuthOrigin}' })
    const answer = await fetch('/me', { headers: { authorization: 'Bearer ' + token } })
    hello.textContent = await answer.text()
  }
</script>`
/** One pixel. */
const ICON = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPgjg0HAAFfAKwsBHaBAAAAAElFTkSuQmCC',
  'base64',
)
/** What the app is. Before others can add it, sign its domain with the custody address of your account. */
const manifest = (origin: string) => ({
  miniapp: {
    version: '1',
    name: 'Greeter',
    iconUrl: `${origin}/icon.png`,
    homeUrl: `${origin}/`,
    webhookUrl: `${origin}/webhook`,
  },
})

const server = createServer(async (request, response) => {
  const domain = request.headers.host!
  const answer = (type: string, content: string | Buffer) =>
    response.writeHead(200, { 'content-type': type }).end(content)
  try {
    if (request.url === '/sdk.js') {
      answer('text/javascript', readFileSync(join(dirname(sdk), 'index.min.js')))
    } else if (request.url === '/icon.png') answer('image/png', ICON)
    else if (request.url === '/.well-known/farcaster.json') {
      answer('application/json', JSON.stringify(manifest(`http://${domain}`)))
    } else if (request.url === '/me') {
      const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
      const { sub } = await quickAuth.verifyJwt({ token, domain })
      answer('text/plain', `You are fid ${sub}`)
    } else if (request.url === '/webhook') {
      await told(await bodyOf(request), `http://${domain}/`)
      answer('application/json', '{}')
    } else answer('text/html', PAGE)
  } catch (error) {
    response.writeHead(400).end(String(error))
  }
})

/** What a user did with the app, signed by a key of the user. Events have no order: each is the state of its user. */
async function told(body: unknown, targetUrl: string): Promise<void> {
  const { fid, event } = await parseWebhookEvent(body, verifyAppKey)
  console.log(`${event.event} by fid ${fid}`)
  if (event.event !== 'miniapp_added' || !event.notificationDetails) return
  // Keep url and token in a database: they notify this user until an event ends that.
  const { url, token } = event.notificationDetails
  const words = { title: 'Welcome', body: 'Greeter says hello.', targetUrl }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ notificationId: randomUUID(), tokens: [token], ...words }),
  })
  console.log(`notified fid ${fid}: ${response.status}`)
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of request) {
    text += part
    if (text.length > MAX_BODY_BYTES) throw new Error('the body is too long')
  }
  return JSON.parse(text)
}

server.listen(Number(process.env.PORT ?? 3002), '127.0.0.1', () => {
  // The web client frames apps of this machine by the name localhost.
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`)
})
