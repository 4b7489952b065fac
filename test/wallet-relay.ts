import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { base58 } from '@scure/base'
import { type WebSocket, WebSocketServer } from 'ws'

// A relay of WalletConnect for tests: it stores envelopes, passes them on, and checks the tokens of its clients.

type Envelope = { topic: string; message: string; tag: number; ttl: number }
/** With the key of the client that published it, which does not get it back. */
type Stored = { readonly envelope: Envelope; readonly from: string }
type Approval = {
  pairingTopic: string
  sessionTopic: string
  sessionProposalResponse: string
  sessionSettlementRequest: string
}
type Request = { id: number; method: string; params: Record<string, unknown> }

export type TestRelay = {
  readonly url: string
  /** Everything that was published. */
  readonly stored: readonly Stored[]
  /** The `projectId` of each connection. */
  readonly projects: readonly (string | null)[]
  /** Ends the connections of a project, as a network that fails. */
  drop(project: string): void
  close(): Promise<void>
}

export async function startRelay(): Promise<TestRelay> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stored: Stored[] = []
  const clients = new Map<WebSocket, { key: string; project: string | null }>()
  const projects: (string | null)[] = []
  const followers = new Map<string, Set<WebSocket>>()
  let ids = 0

  const deliver = (socket: WebSocket, { envelope, from }: Stored) => {
    if (clients.get(socket)?.key === from) return
    const params = { id: envelope.topic, data: { ...envelope, publishedAt: Date.now() } }
    const frame = { id: ++ids, jsonrpc: '2.0', method: 'irn_subscription', params }
    socket.send(JSON.stringify(frame))
  }
  const publish = (socket: WebSocket, envelope: Envelope) => {
    const one = { envelope, from: clients.get(socket)!.key }
    stored.push(one)
    for (const follower of followers.get(envelope.topic) ?? []) deliver(follower, one)
    return true
  }
  /** What was published before is delivered as well. */
  const follow = (socket: WebSocket, topic: string) => {
    followers.set(topic, (followers.get(topic) ?? new Set()).add(socket))
    for (const one of stored) if (one.envelope.topic === topic) deliver(socket, one)
    return topic
  }
  const fetch = (socket: WebSocket, topics: readonly string[]) => ({
    messages: stored
      .filter(
        ({ from, envelope }) =>
          from !== clients.get(socket)?.key && topics.includes(envelope.topic),
      )
      .map(({ envelope }) => envelope),
    hasMore: false,
  })
  /** Wallets send both messages of an approval in one call, which makes them follow the session as well. */
  const approve = (socket: WebSocket, approval: Approval) => {
    const { pairingTopic, sessionTopic } = approval
    follow(socket, sessionTopic)
    publish(socket, {
      topic: pairingTopic,
      message: approval.sessionProposalResponse,
      tag: 1101,
      ttl: 300,
    })
    return publish(socket, {
      topic: sessionTopic,
      message: approval.sessionSettlementRequest,
      tag: 1102,
      ttl: 300,
    })
  }
  const answer = (socket: WebSocket, { method, params }: Request): unknown => {
    const topics = (params.topics ?? []) as string[]
    if (method === 'irn_publish') return publish(socket, params as Envelope)
    if (method === 'wc_approveSession') return approve(socket, params as Approval)
    if (method === 'irn_subscribe') return follow(socket, String(params.topic))
    if (method === 'irn_batchSubscribe') return topics.map((topic) => follow(socket, topic))
    if (method === 'irn_batchFetchMessages') return fetch(socket, topics)
    return true
  }

  server.on('connection', (socket, { url: path = '' }) => {
    const query = new URL(path, url).searchParams
    const project = query.get('projectId')
    clients.set(socket, { key: keyOf(query.get('auth') ?? ''), project })
    projects.push(project)
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Request
      if (frame.method === undefined) return
      const result = answer(socket, frame)
      socket.send(JSON.stringify({ id: frame.id, jsonrpc: '2.0', result }))
    })
    socket.on('close', () => {
      for (const sockets of followers.values()) sockets.delete(socket)
      clients.delete(socket)
    })
  })
  return {
    url,
    stored,
    projects,
    drop(project) {
      for (const [socket, client] of clients) if (client.project === project) socket.terminate()
    },
    async close() {
      for (const socket of server.clients) socket.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The issuer of a token: a JWT signed by the Ed25519 key that the issuer names (did:key). */
function keyOf(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  assert.deepEqual(read(header), { alg: 'EdDSA', typ: 'JWT' })
  const { iss, sub, aud, iat, exp } = read(payload)
  assert.match(iss, /^did:key:z/)
  const [first, second, ...key] = base58.decode(iss.slice('did:key:z'.length))
  assert.deepEqual([first, second, key.length], [0xed, 0x01, 32])
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${header}.${payload}`)
  assert.ok(verify(null, signed, publicKey, Buffer.from(signature, 'base64url')))
  assert.match(sub, /^[0-9a-f]{64}$/)
  assert.match(aud, /^wss?:/)
  assert.ok(exp > iat && exp - iat <= 86_400)
  return iss
}
