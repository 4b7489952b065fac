// The server of a mini app: its page and manifest, sign-in, Quick Auth, webhook and notifications. It speaks to one Rookery,
// whose front door is ROOKERY. Run it with: ROOKERY=http://127.0.0.1:2290 PORT=3000 node server.js
// While you change the page, `npm run dev` serves it by Vite, with these routes beside it.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAppClient, viemConnector } from '@farcaster/auth-client'
import { createVerifyAppKeyWithHub, parseWebhookEvent } from '@farcaster/miniapp-node'
import { createClient } from '@farcaster/quick-auth'

const { ROOKERY = 'http://127.0.0.1:2290', PORT = '3000' } = process.env
const MAX_BODY_BYTES = 64 * 1024

const sdkFile = createRequire(import.meta.url).resolve('@farcaster/miniapp-sdk')
const SDK = readFileSync(join(dirname(sdkFile), 'index.min.js'))
const PAGE = readFileSync(new URL('index.html', import.meta.url), 'utf8')
const ICON = readFileSync(new URL('icon.png', import.meta.url))
const CARD = readFileSync(new URL('card.png', import.meta.url))

// The three addresses that differ from network to network.
const quickAuth = createClient({ origin: `${ROOKERY}/platform` })
const signIn = createAppClient({
  relay: `${ROOKERY}/platform`,
  ethereum: viemConnector({ rpcUrl: `${ROOKERY}/accounts` }),
})
const verifyAppKey = createVerifyAppKeyWithHub(ROOKERY)

/** What the app knows of its users: their tokens for notifications. A real app keeps them in its database. */
const tokens = new Map()
const nonces = new Set()
/** The last events that were verified, for whoever looks on. */
const events = []
const MAX_KEPT = 100

const manifest = (origin) => ({
  // accountAssociation: sign the domain with the custody address of your account before you publish.
  miniapp: {
    version: '1',
    name: 'Pebbles',
    iconUrl: `${origin}/icon.png`,
    homeUrl: `${origin}/`,
    splashBackgroundColor: '#0b5d57',
    webhookUrl: `${origin}/api/webhook`,
    castShareUrl: `${origin}/`,
    subtitle: 'Collect small stones',
    description: 'A mini app that shows each thing that a mini app can do.',
    primaryCategory: 'games',
    tags: ['example'],
  },
})

const ROUTES = {
  'GET /': ({ origin }) => html(PAGE.replaceAll('ORIGIN', origin)),
  'GET /sdk.js': () => file('text/javascript', SDK),
  'GET /icon.png': () => file('image/png', ICON),
  'GET /card.png': () => file('image/png', CARD),
  'GET /.well-known/farcaster.json': ({ origin }) => json(manifest(origin)),
  'GET /api/settings': () => json({ quickAuthOrigin: `${ROOKERY}/platform` }),
  'GET /api/events': () => json(events),

  /** Sign In With Farcaster: the app makes the nonce, and verifies what comes back. */
  'POST /api/nonce': () => {
    const nonce = randomUUID().replaceAll('-', '')
    nonces.add(nonce)
    if (nonces.size > MAX_KEPT) nonces.delete(nonces.values().next().value)
    return json({ nonce })
  },
  'POST /api/sign-in': async ({ body, domain }) => {
    const { nonce, message, signature } = body
    if (!nonces.delete(nonce)) return json({ error: 'unknown nonce' }, 401)
    const verified = await signIn.verifySignInMessage({
      ...{ nonce, domain, message, signature },
      acceptAuthAddress: true,
    })
    if (!verified.success) return json({ error: String(verified.error) }, 401)
    return json({ signedIn: verified.fid })
  },

  /** Quick Auth: the page sends a token, and nothing is asked of the user again. */
  'GET /api/me': async ({ headers, domain }) => {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? ''
    const { sub } = await quickAuth.verifyJwt({ token, domain })
    return json({ fid: sub })
  },

  /** What users do with the app. An event is a state: the same one twice changes nothing. */
  'POST /api/webhook': async ({ body }) => {
    const { fid, event } = await parseWebhookEvent(body, verifyAppKey)
    const details = event.notificationDetails
    if (details) tokens.set(fid, details)
    else tokens.delete(fid)
    if (events.push({ fid, event: event.event }) > MAX_KEPT) events.shift()
    return json({ ok: true })
  },

  /** A notification that opens the app. */
  'POST /api/notify': async ({ body, origin }) => {
    const details = tokens.get(Number(body.fid))
    if (!details)
      return json({ error: 'this user has not added the app, or wants no notifications' })
    const response = await fetch(details.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        notificationId: randomUUID(),
        title: 'A new pebble',
        body: 'The tide has left one for you.',
        targetUrl: `${origin}/?from=notification`,
        tokens: [details.token],
      }),
    })
    const { result } = await response.json()
    if (result?.invalidTokens?.length) tokens.delete(Number(body.fid))
    return json(result ?? { error: 'the notification was refused' })
  },
}

const json = (value, status = 200) => ({
  status,
  type: 'application/json',
  content: JSON.stringify(value),
})
const html = (content) => ({ status: 200, type: 'text/html; charset=utf-8', content })
const file = (type, content) => ({ status: 200, type, content })

async function bodyOf(request) {
  let text = ''
  for await (const piece of request) {
    text += piece
    if (text.length > MAX_BODY_BYTES) throw new Error('the body is too long')
  }
  return text === '' ? {} : JSON.parse(text)
}

/** Answers a request; what has no route is left to `next`, such as Vite. */
export async function answer(request, response, next = () => response.writeHead(404).end()) {
  const { pathname } = new URL(request.url, 'http://localhost')
  // Where the app is public, this is its domain.
  const domain = `localhost:${request.socket.localPort}`
  try {
    const route = ROUTES[`${request.method} ${pathname}`]
    if (!route) return next()
    const body = request.method === 'POST' ? await bodyOf(request) : {}
    const { headers } = request
    const { status, type, content } = await route({
      body,
      headers,
      domain,
      origin: `http://${domain}`,
    })
    response.writeHead(status, { 'content-type': type }).end(content)
  } catch (error) {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: error.message }))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = createServer((request, response) => answer(request, response))
  server.listen(Number(PORT), '127.0.0.1', () => {
    console.log(`Pebbles: http://localhost:${server.address().port}`)
  })
}
