import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { base64url, utf8Of } from '../../shared/bytes.ts'
import { plainHex } from './envelope.ts'

// The relay of WalletConnect: it passes envelopes between two ends that cannot reach each other, and keeps them
// for an end that is away. JSON-RPC over a WebSocket.

export type RelayOptions = {
  /** ws: or wss: */
  readonly url: string
  /** The operator's project, by which the relay counts. */
  readonly projectId: string
  /** An envelope has arrived for a topic. It may arrive more than once. */
  onMessage(topic: string, envelope: string): void
}

export type Envelope = {
  readonly topic: string
  readonly message: string
  /** What kind of message it holds; the relay tells phones by it whether to wake their user. */
  readonly tag: number
  /** Seconds for which the relay keeps it. */
  readonly ttl: number
}

export type Relay = {
  subscribe(topic: string): Promise<void>
  publish(envelope: Envelope): Promise<void>
  close(): void
}

type Waiting = { resolve(result: unknown): void; reject(error: Error): void }
type Frame = {
  readonly id: number
  readonly method?: string
  readonly params?: { readonly data?: { readonly topic?: unknown; readonly message?: unknown } }
  readonly result?: unknown
  readonly error?: { readonly message?: unknown }
}

const TOKEN_SECONDS = 86_400
const ANSWER_MS = 20_000
const LONGEST_WAIT_MS = 10_000
/** An envelope holds one request for a signature. */
const MAX_FRAME_CHARACTERS = 1_000_000

/** Connects when there is something to send, and again when the connection is lost. */
export function connectRelay({ url, projectId, onMessage }: RelayOptions): Relay {
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const topics = new Set<string>()
  const waiting = new Map<number, Waiting>()
  let socket: Promise<WebSocket> | undefined
  let isClosed = false
  let failures = 0

  const opened = () => (socket ??= open())

  function open(): Promise<WebSocket> {
    const query = new URLSearchParams({
      projectId,
      auth: tokenFor(url, secret),
      ua: 'wc-2/rookery',
    })
    const own = new WebSocket(`${url}?${query}`)
    own.addEventListener('message', ({ data }) => receive(own, String(data)))
    own.addEventListener('close', lost)
    return new Promise((resolve, reject) => {
      own.addEventListener('open', () => {
        failures = 0
        resolve(own)
      })
      own.addEventListener('error', () => {
        reject(new Error('The relay of WalletConnect cannot be reached. Try again later.'))
      })
    })
  }

  function lost(): void {
    socket = undefined
    for (const { reject } of waiting.values()) {
      reject(new Error('The connection to the relay of WalletConnect was lost.'))
    }
    waiting.clear()
    if (isClosed || topics.size === 0) return
    const waitMs = Math.min(LONGEST_WAIT_MS, 500 * 2 ** failures++)
    setTimeout(() => isClosed || follow([...topics]).catch(() => {}), waitMs)
  }

  /** Subscribes, and asks for what arrived before that. */
  async function follow(some: readonly string[]): Promise<void> {
    for (const topic of some) await call('irn_subscribe', { topic })
    const kept = await call('irn_batchFetchMessages', { topics: some })
    for (const { topic, message } of (kept as { messages?: Envelope[] })?.messages ?? []) {
      onMessage(topic, message)
    }
  }

  async function call(method: string, params: object): Promise<unknown> {
    const to = await opened()
    const id = newId()
    const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }))
    const timer = setTimeout(() => {
      waiting.get(id)?.reject(new Error('The relay of WalletConnect does not answer.'))
    }, ANSWER_MS)
    to.send(JSON.stringify({ id, jsonrpc: '2.0', method, params }))
    try {
      return await answer
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
  }

  function receive(from: WebSocket, text: string): void {
    if (text.length > MAX_FRAME_CHARACTERS) return
    const frame = JSON.parse(text) as Frame
    if (frame.method === undefined) {
      const caller = waiting.get(frame.id)
      if (frame.error) caller?.reject(new Error(`The relay refused: ${frame.error.message}`))
      else caller?.resolve(frame.result)
      return
    }
    from.send(JSON.stringify({ id: frame.id, jsonrpc: '2.0', result: true }))
    const { topic, message } = frame.params?.data ?? {}
    if (frame.method === 'irn_subscription' && typeof topic === 'string') {
      onMessage(topic, String(message))
    }
  }

  return {
    async subscribe(topic) {
      topics.add(topic)
      await follow([topic])
    },
    publish: async (envelope) => void (await call('irn_publish', envelope)),
    close() {
      isClosed = true
      void socket?.then(
        (own) => own.close(),
        () => {},
      )
    },
  }
}

/** A number that no other request of this page has; other ends see it as well. */
export const newId = (): number => Date.now() * 1_000 + Math.floor(Math.random() * 1_000)

/** A JWT by which the relay knows this page again: signed by a key of its own, named as did:key. */
export function tokenFor(audience: string, secret: Uint8Array, now = Date.now()): string {
  const ED25519_KEY = [0xed, 0x01]
  const key = base58.encode(Uint8Array.of(...ED25519_KEY, ...ed25519.getPublicKey(secret)))
  const iat = Math.floor(now / 1_000)
  const part = (value: object) => base64url(utf8Of(JSON.stringify(value)))
  const header = part({ alg: 'EdDSA', typ: 'JWT' })
  const payload = part({
    iss: `did:key:z${key}`,
    sub: plainHex(crypto.getRandomValues(new Uint8Array(32))),
    aud: audience,
    iat,
    exp: iat + TOKEN_SECONDS,
  })
  const signed = `${header}.${payload}`
  return `${signed}.${base64url(ed25519.sign(utf8Of(signed), secret))}`
}
