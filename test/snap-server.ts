// A server of snaps for tests, which verifies what it is sent by itself and answers what the test says.

import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const SNAP_TYPE = 'application/vnd.farcaster.snap+json'

type Element = {
  readonly type: string
  readonly props?: object
  readonly children?: readonly string[]
  readonly on?: object
}
export type Page = Readonly<Record<string, unknown>>

/** What a user has pressed, once its signature was proven. */
export type Pressed = {
  readonly path: string
  readonly fid: number
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: payloads of both versions are asserted on
  readonly payload: any
}

/** A page whose root is the element with that name. */
export const pageOf = (elements: Readonly<Record<string, Element>>, more: object = {}): Page => ({
  version: '2.0',
  ui: { root: 'root', elements },
  ...more,
})

export const stack = (children: readonly string[], props: object = {}): Element => ({
  type: 'stack',
  props,
  children,
})
export const text = (content: string): Element => ({ type: 'text', props: { content } })
export const submit = (label: string, target: string): Element => ({
  type: 'button',
  props: { label, variant: 'primary' },
  on: { press: { action: 'submit', params: { target } } },
})

/** PKCS #8's form of a public key has this before its bytes. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

export type SnapServer = Awaited<ReturnType<typeof startSnapServer>>

export async function startSnapServer() {
  /** Each is told who looks, when the request says so. */
  const pages = new Map<string, (viewer?: Pressed) => Page | Promise<Page>>()
  const answers = new Map<string, (pressed: Pressed) => Page | { readonly error: string }>()
  const others = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()
  const presses: Pressed[] = []
  /** Who looked at pages with GET, of requests that say so. */
  const views: Pressed[] = []
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const path = new URL(request.url!, 'http://snap').pathname
    asked.push(`${request.method} ${path}`)
    const other = others.get(path)
    if (other) return other(request, response)
    const send = (status: number, type: string, body: object) =>
      response.writeHead(status, { 'content-type': type, vary: 'Accept' }).end(JSON.stringify(body))
    if (request.method === 'GET') {
      const viewer = viewerIn(path, request.headers['x-snap-payload']?.toString())
      if (viewer) views.push(viewer)
      const page = await pages.get(path)?.(viewer)
      return page ? send(200, SNAP_TYPE, page) : send(404, 'application/json', { error: 'nothing' })
    }
    const pressed = pressedIn(path, JSON.parse((await request.toArray()).join('')))
    if (!pressed) return send(401, 'application/json', { error: 'The signature is wrong.' })
    presses.push(pressed)
    const answer = answers.get(path)?.(pressed) ?? { error: 'There is no such button.' }
    return 'error' in answer ? send(400, 'application/json', answer) : send(200, SNAP_TYPE, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ pages, answers, others, presses, views, asked },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function viewerIn(path: string, compact: string | undefined): Pressed | undefined {
  const [header = '', payload = '', signature = ''] = compact?.split('.') ?? []
  return compact === undefined ? undefined : pressedIn(path, { header, payload, signature })
}

type Jfs = { readonly header: string; readonly payload: string; readonly signature: string }

function pressedIn(path: string, { header, payload, signature }: Jfs): Pressed | undefined {
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { fid, key } = read(header)
  const der = Buffer.concat([SPKI_PREFIX, Buffer.from(key.slice(2), 'hex')])
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const signed = Buffer.from(`${header}.${payload}`)
  const isTrue = verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))
  return isTrue ? { path, fid, key, payload: read(payload) } : undefined
}
