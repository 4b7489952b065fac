// The server of a mini app on this machine, and accounts whose custody keys sign.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LocalAccount } from 'viem'
import { devAccount } from '../src/dev/accounts.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { accountEvents, type TestAccount, type World } from './world.ts'

/** The server of an app: a manifest, any other pages, and a webhook. */
export type AppServer = {
  /** Such as `127.0.0.1:40123`. */
  readonly domain: string
  readonly origin: string
  /** The fields of the manifest; a change counts from the next request on. */
  manifest: Record<string, unknown>
  /** The whole document; made of the manifest and the association unless given. */
  document: unknown
  association: unknown
  contentType: string
  /** Bodies that the webhook got, in order. */
  readonly events: unknown[]
  /** How the webhook answers. */
  webhookStatus: number
  /** Pages by their paths. */
  readonly pages: Map<string, (request: IncomingMessage, response: ServerResponse) => void>
  readonly asked: () => number
  close(): Promise<void>
}

export async function startAppServer(host = '127.0.0.1'): Promise<AppServer> {
  let asked = 0
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    const page = app.pages.get(pathname)
    if (page) return page(request, response)
    if (pathname === '/.well-known/farcaster.json') {
      asked++
      const { manifest: miniapp, association: accountAssociation } = app
      const document = app.document ?? { miniapp, accountAssociation }
      response.writeHead(200, { 'content-type': app.contentType })
      return response.end(JSON.stringify(document))
    }
    if (pathname === '/webhook' && request.method === 'POST') {
      return void readBody(request).then((text) => {
        if (app.webhookStatus === 200) app.events.push(JSON.parse(text))
        response.writeHead(app.webhookStatus).end()
      })
    }
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const domain = `${host}:${(server.address() as AddressInfo).port}`
  const origin = `http://${domain}`
  const app: AppServer & { readonly pages: AppServer['pages'] } = {
    domain,
    origin,
    manifest: manifestAt(origin),
    document: undefined,
    association: undefined,
    contentType: 'application/json',
    events: [],
    webhookStatus: 200,
    pages: new Map(),
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return app
}

/** A manifest without faults. */
export const manifestAt = (origin: string): Record<string, unknown> => ({
  version: '1',
  name: 'Poll',
  iconUrl: `${origin}/icon.png`,
  homeUrl: `${origin}/`,
  webhookUrl: `${origin}/webhook`,
  subtitle: 'Asks everybody',
  description: 'Questions with answers, for every channel.',
  primaryCategory: 'social',
  tags: ['poll', 'votes'],
})

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** The account of a fid whose custody address is that of a development account. */
export function custodian(fid: number): TestAccount {
  const { custody, appSeed, appKey } = devAccount(fid - 1)
  return { fid, seed: appSeed, key: appKey, custody: fromHex(custody.address.toLowerCase())! }
}

/** Makes such accounts exist. */
export async function addCustodians(world: World, fids: readonly number[]): Promise<TestAccount[]> {
  const made = fids.map(custodian)
  const seconds = Math.floor(world.clock.now() / 1_000)
  await world.app.ledger!.importEvents(made.flatMap((one) => accountEvents(one, seconds, 10)))
  return made
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The association of an account with a domain, as wallets sign it. */
export async function associationOf(
  fid: number,
  domain: string,
  {
    type = 'custody',
    signer = fid,
    encoding = 'bytes',
    account: custody = devAccount(signer - 1).custody,
  }: {
    type?: 'custody' | 'auth'
    /** The fid of the development account that signs, unless an account is given. */
    signer?: number
    encoding?: 'bytes' | 'text'
    account?: LocalAccount
  } = {},
): Promise<{ header: string; payload: string; signature: string }> {
  const header = part({ fid, type, key: custody.address })
  const payload = part({ domain })
  const text = await custody.signMessage({ message: `${header}.${payload}` })
  const signature =
    encoding === 'bytes'
      ? Buffer.from(fromHex(text)!).toString('base64url')
      : Buffer.from(text).toString('base64url')
  return { header, payload, signature }
}

/** What a client sends when its user has signed an event. */
export function signEvent(
  { fid, key, seed }: TestAccount,
  { id, payload }: { id: string; payload: string },
): { id: string; header: string; signature: string } {
  const header = part({ fid, type: 'app_key', key: toHex(key) })
  const bytes = signEd25519(Buffer.from(`${header}.${payload}`), seed)
  return { id, header, signature: Buffer.from(bytes).toString('base64url') }
}
