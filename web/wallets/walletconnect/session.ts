import { x25519 } from '@noble/curves/ed25519.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesOf } from '../../shared/bytes.ts'
import { open, plainHex, seal, topicOf } from './envelope.ts'
import { connectRelay, newId, type Relay } from './relay.ts'

// A session of WalletConnect 2 with a wallet elsewhere: the page shows a code, the wallet that reads it agrees to a
// key with the page, says which accounts the user shares, and answers requests from then on.

/** Errors of wallets have a code, as EIP-1193 says. */
export class WalletError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'WalletError'
    this.code = code
  }
}

export type SessionOptions = {
  readonly relayUrl: string
  readonly projectId: string
  /** The wallet shows this page to its user. */
  readonly page: { readonly name: string; readonly description: string; readonly url: string }
  /** Shows the user the code for the wallet: a wc: link. */
  showCode(uri: string): void
  /** The wallet shares other accounts now, or none any more. */
  onAccounts(accounts: readonly string[]): void
  /** The wallet has changed the chain itself. */
  onChain(chainId: number): void
  /** Ends the attempt to connect when the user cancels. */
  readonly signal: AbortSignal
}

export type Session = {
  /** CAIP-10: eip155:1:0x... */
  readonly accounts: readonly string[]
  request(call: { method: string; params?: readonly unknown[] }, chainId: number): Promise<unknown>
  end(): Promise<void>
}

type Payload = {
  readonly id: number
  readonly method?: string
  // biome-ignore lint/suspicious/noExplicitAny: checked where it is read
  readonly params?: any
  // biome-ignore lint/suspicious/noExplicitAny: checked where it is read
  readonly result?: any
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

type Kind = { readonly tag: number; readonly ttl: number }

const FIVE_MINUTES = 300
const DAY = 86_400
/** How the specification of the protocol tags each request, and for how many seconds it is worth an answer. */
const KINDS: Readonly<Record<string, Kind>> = {
  wc_sessionPropose: { tag: 1100, ttl: FIVE_MINUTES },
  wc_sessionSettle: { tag: 1102, ttl: FIVE_MINUTES },
  wc_sessionUpdate: { tag: 1104, ttl: DAY },
  wc_sessionExtend: { tag: 1106, ttl: DAY },
  wc_sessionRequest: { tag: 1108, ttl: FIVE_MINUTES },
  wc_sessionEvent: { tag: 1110, ttl: FIVE_MINUTES },
  wc_sessionDelete: { tag: 1112, ttl: DAY },
  wc_sessionPing: { tag: 1114, ttl: 30 },
}
const METHODS = ['eth_sendTransaction', 'personal_sign', 'eth_signTypedData_v4']
const EVENTS = ['accountsChanged', 'chainChanged']
/** Ethereum, OP Mainnet and its test network: where accounts are. Wallets take those that they know. */
const CHAINS = ['eip155:1', 'eip155:10', 'eip155:11155420']
const USER_REJECTED = 4001
const UNSUPPORTED = 10_001
/** 5000 to 5003 are the reasons of a user who declines. */
const isDeclined = (code: unknown): boolean =>
  code === USER_REJECTED || (Number(code) >= 5_000 && Number(code) <= 5_003)

/** Shows a code, and waits until a wallet has read it and its user has agreed. */
export async function startSession(options: SessionOptions): Promise<Session> {
  const takers = new Map<string, (envelope: string) => void>()
  const relay = connectRelay({
    url: options.relayUrl,
    projectId: options.projectId,
    onMessage: (topic, envelope) => takers.get(topic)?.(envelope),
  })
  const join: Join = async (key, take) => {
    const channel: Channel = { topic: topicOf(key), key, relay, known: new Set() }
    takers.set(channel.topic, (envelope) => {
      const payload = open(envelope, key) as Payload
      if (payload.method === undefined || remember(channel, payload.id)) take(payload, channel)
    })
    await relay.subscribe(channel.topic)
    return channel
  }
  try {
    return await pairAndSettle(options, join, relay)
  } catch (error) {
    relay.close()
    throw error
  }
}

type Channel = {
  readonly topic: string
  readonly key: Uint8Array
  readonly relay: Relay
  /** Ids of the latest requests from both sides: the relay may deliver a request more than once. */
  readonly known: Set<number>
}

const MAX_KNOWN = 1_000

/** Returns whether the request is new. */
function remember({ known }: Channel, id: number): boolean {
  if (known.has(id)) return false
  known.add(id)
  if (known.size > MAX_KNOWN) known.delete(known.values().next().value!)
  return true
}
/** What arrives is given at once, also what comes while the channel is being joined. */
type Take = (payload: Payload, channel: Channel) => void
type Join = (key: Uint8Array, take: Take) => Promise<Channel>

async function pairAndSettle(options: SessionOptions, join: Join, relay: Relay): Promise<Session> {
  const { signal } = options
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const pairingKey = crypto.getRandomValues(new Uint8Array(32))
  const agreed = Promise.withResolvers<Uint8Array>()
  const pairing = await join(pairingKey, ({ error, result }) => {
    if (error) agreed.reject(errorOf(error))
    else if (result) agreed.resolve(bytesOf(String(result.responderPublicKey)))
  })
  const expiry = Math.floor(Date.now() / 1_000) + FIVE_MINUTES
  await send(pairing, 'wc_sessionPropose', {
    requiredNamespaces: {},
    optionalNamespaces: { eip155: { chains: CHAINS, methods: METHODS, events: EVENTS } },
    relays: [{ protocol: 'irn' }],
    pairingTopic: pairing.topic,
    expiryTimestamp: expiry,
    proposer: {
      publicKey: plainHex(x25519.getPublicKey(secret)),
      metadata: { ...options.page, icons: [] },
    },
  })
  const query = `relay-protocol=irn&symKey=${plainHex(pairingKey)}&expiryTimestamp=${expiry}`
  options.showCode(`wc:${pairing.topic}@2?${query}`)
  const theirKey = await within(agreed.promise, FIVE_MINUTES, signal)
  const key = hkdf(sha256, x25519.getSharedSecret(secret, theirKey), undefined, undefined, 32)
  return settle(key, options, join, relay)
}

async function settle(
  key: Uint8Array,
  options: SessionOptions,
  join: Join,
  relay: Relay,
): Promise<Session> {
  const settled = Promise.withResolvers<readonly string[]>()
  const waiting = new Map<number, (payload: Payload) => void>()
  const channel = await join(key, (payload, from) => {
    if (payload.method === undefined) return waiting.get(payload.id)?.(payload)
    answer(from, payload)
    take(payload)
  })
  function take({ method, params }: Payload): void {
    if (method === 'wc_sessionSettle') settled.resolve(accountsOf(params))
    if (method === 'wc_sessionUpdate') options.onAccounts(accountsOf(params))
    if (method === 'wc_sessionDelete') {
      options.onAccounts([])
      relay.close()
    }
    if (method === 'wc_sessionEvent' && params?.event?.name === 'chainChanged') {
      options.onChain(Number(params.event.data))
    }
  }
  const accounts = await within(settled.promise, FIVE_MINUTES, options.signal)
  return {
    accounts,
    async request(call, chainId) {
      const answered = Promise.withResolvers<unknown>()
      const params = { request: call, chainId: `eip155:${chainId}` }
      const id = newId()
      waiting.set(id, ({ error, result }) => {
        if (error) answered.reject(errorOf(error))
        else answered.resolve(result)
      })
      try {
        await send(channel, 'wc_sessionRequest', params, id)
        return await within(answered.promise, FIVE_MINUTES)
      } finally {
        waiting.delete(id)
      }
    },
    async end() {
      const params = { code: 6_000, message: 'The user disconnected.' }
      await send(channel, 'wc_sessionDelete', params).finally(() => relay.close())
    },
  }
}

function send(channel: Channel, method: string, params: object, id = newId()): Promise<void> {
  const { topic, key, relay } = channel
  remember(channel, id)
  const message = seal({ id, jsonrpc: '2.0', method, params }, key)
  return relay.publish({ topic, message, ...KINDS[method]! })
}

/** Every request is answered at once; the tag of an answer is the one after its request's. */
function answer({ topic, key, relay }: Channel, { id, method }: Payload): void {
  const kind = KINDS[method!]
  const body = kind
    ? { result: true }
    : { error: { code: UNSUPPORTED, message: `${method} is not supported` } }
  const message = seal({ id, jsonrpc: '2.0', ...body }, key)
  const { tag, ttl } = kind ?? KINDS.wc_sessionPing!
  relay.publish({ topic, message, tag: tag + 1, ttl }).catch(() => {})
}

// biome-ignore lint/suspicious/noExplicitAny: it comes from a wallet and is checked here
const accountsOf = (params: any): string[] => {
  const accounts: unknown = params?.namespaces?.eip155?.accounts
  return Array.isArray(accounts) ? accounts.map(String) : []
}

const errorOf = ({ code, message }: NonNullable<Payload['error']>): WalletError =>
  new WalletError(isDeclined(code) ? USER_REJECTED : Number(code), String(message))

/** Fails when the user gives up, or when the wallet has not answered in time. */
function within<T>(answered: Promise<T>, seconds: number, signal?: AbortSignal): Promise<T> {
  const failed = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => failed.reject(new Error('Your wallet has not answered. Try again.')),
    seconds * 1_000,
  )
  const give = () => failed.reject(new WalletError(USER_REJECTED, 'You gave up.'))
  if (signal?.aborted) give()
  signal?.addEventListener('abort', give)
  return Promise.race([answered, failed.promise]).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', give)
  })
}
