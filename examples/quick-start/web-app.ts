// A web app with sign-in: people sign in with their account and see their profile. It gets no key and cannot post.
// Run: node examples/quick-start/web-app.ts http://127.0.0.1:2290
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as rookery from 'rookery/client'

const [url = 'http://127.0.0.1:2290'] = process.argv.slice(2)
const network = rookery.createNetwork({ url })
/** Who is signed in, by cookie. Keep it in a database when the app has more than one process. */
const sessions = new Map<string, rookery.SignedIn>()
/** Sign-ins that wait for their users, by cookie. */
const waiting = new Map<string, Promise<unknown>>()
const MAX_WAITING = 1_000

const server = createServer(async ({ url: path, headers }, response) => {
  const session = /session=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? randomUUID()
  const person = sessions.get(session)
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.setHeader('set-cookie', `session=${session}; HttpOnly; SameSite=Lax; Path=/`)
  if (person) {
    response.end(page(`<h1>Hello, ${escaped(person.displayName ?? `fid ${person.fid}`)}</h1>`))
  } else if (path === '/sign-in' && waiting.size < MAX_WAITING) {
    const site = { domain: headers.host!, siweUri: `http://${headers.host}/` }
    const attempt = await rookery.signIn(network, site)
    // The server of the network has verified what the user signed, and tells it once.
    const signal = AbortSignal.timeout(10 * 60_000)
    const done = attempt.signedIn({ signal }).then((found) => sessions.set(session, found))
    waiting.set(
      session,
      done.catch(() => {}).finally(() => waiting.delete(session)),
    )
    response.end(
      page(`<a href="${escaped(attempt.url)}" target="_blank">Open your wallet</a>
        <meta http-equiv="refresh" content="2; url=/">`),
    )
  } else if (waiting.has(session)) {
    response.end(page('Waiting for you … <meta http-equiv="refresh" content="2; url=/">'))
  } else response.end(page('<a href="/sign-in">Sign in</a>'))
})

const page = (body: string) => `<!doctype html><title>A web app</title>${body}`
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
