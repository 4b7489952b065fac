import { hash, randomBytes } from 'node:crypto'
import { base32nopad } from '@scure/base'
import { generateSiweNonce } from 'viem/siwe'
import type { Clock } from '../../kernel/base/clock.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { networkOf } from '../../kernel/limits/client.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { checkAnswers, invalid, readMessage, type SignInRequest, writeMessage } from './message.ts'
import { checkSigned, type SignerTerms } from './signer.ts'
import type { SignedIn, StoredSignInChannel } from './tables/sign-in.ts'
import { signInRows } from './tables/sign-in.ts'

// The relay: an app opens a channel, its user signs, and the app takes the signature. Channels are in the store, so that
// the three may ask different processes.

/** Lifetime of a channel, as at the deployed relay. auth-kit opens one with each page that has its button. */
const CHANNEL_MS = 3_600_000
/** Of one network. Then its oldest one is dropped: a flood costs its own sender the channels. */
const MAX_CHANNELS_OF_CLIENT = 1_000
/** Of all clients; the oldest are dropped by the job. */
const MAX_CHANNELS = 100_000
const COLLECT_INTERVAL_MS = 15_000
const TOKEN_BYTES = 20
const MAX_USER_AGENT_CHARACTERS = 256
const MAX_ORIGIN_CHARACTERS = 256
/** Its accounts sign in with this message too, and it names no network: a signature made here could be used there. */
const RESTRICTED_DOMAINS = ['farcaster.xyz', 'warpcast.com']

export type ChannelTerms = SignerTerms & {
  readonly storage: Storage
  readonly clock: Clock
}

/** Who asks for a channel. */
export type Asking = {
  readonly ip: string
  readonly userAgent: string | undefined
  readonly origin: string | undefined
}

/** What a user has signed; `authMethod` is checked if it is given. */
export type SignInAnswer = Omit<SignedIn, 'authMethod'> & {
  readonly authMethod?: SignedIn['authMethod'] | undefined
}

/** A channel that nobody has declined, with what the app has asked for. */
export type Channel = Omit<StoredSignInChannel, 'request' | 'state'> & {
  readonly request: SignInRequest
  readonly state: Exclude<StoredSignInChannel['state'], 'declined'>
}

export class SignInChannels {
  readonly #terms: ChannelTerms

  constructor(terms: ChannelTerms) {
    this.#terms = terms
  }

  /** Opens a channel. Only the hash of its token is stored: the address of the page that approves has the token. */
  async open(
    asked: Omit<SignInRequest, 'nonce'> & { readonly nonce?: string | undefined },
    { ip, userAgent, origin }: Asking,
  ): Promise<{ token: string; channel: Channel }> {
    const { storage, clock } = this.#terms
    const now = clock.now()
    const request = { ...asked, nonce: asked.nonce ?? generateSiweNonce() }
    checkRequest(request, now)
    const token = base32nopad.encode(randomBytes(TOKEN_BYTES))
    const client = networkOf(ip)
    const stored: StoredSignInChannel = {
      token_hash: hashOf(token),
      state: 'pending',
      client,
      request: JSON.stringify(request),
      ip,
      user_agent: (userAgent ?? 'Unknown').slice(0, MAX_USER_AGENT_CHARACTERS),
      origin: origin?.slice(0, MAX_ORIGIN_CHARACTERS) ?? null,
      message: null,
      signature: null,
      auth_method: null,
      fid: null,
      created_at: now,
      expires_at: now + CHANNEL_MS,
    }
    await storage.write(`sign-in/${client}`, (tx) =>
      tx.of(signInRows).open(stored, MAX_CHANNELS_OF_CLIENT),
    )
    return { token, channel: { ...stored, state: 'pending', request } }
  }

  /** A channel that is pending, or completed and not yet taken. */
  async get(token: string): Promise<Channel> {
    const { storage, clock } = this.#terms
    const stored = await storage.of(signInRows).channel(hashOf(token), clock.now())
    if (!stored) throw unknown()
    const { state, request } = stored
    if (state === 'declined') throw declined()
    return { ...stored, state, request: JSON.parse(request) }
  }

  /** The channel for its app. A completed one is closed with this call: the signature is handed out once. */
  async take(token: string): Promise<Channel> {
    const channel = await this.get(token)
    if (channel.state === 'pending') return channel
    const { token_hash, client } = channel
    const isTaken = await this.#terms.storage.write(`sign-in/${client}`, (tx) =>
      tx.of(signInRows).take(token_hash),
    )
    if (!isTaken) throw unknown()
    return channel
  }

  /** Completes a channel with the signature of a user, in hex. */
  async complete(token: string, answer: SignInAnswer): Promise<Channel> {
    const { storage, clock } = this.#terms
    const { message: text, signature, fid, authMethod } = answer
    const channel = await this.get(token)
    if (channel.state !== 'pending') throw completed()
    const { request, token_hash, client } = channel
    const message = readMessage(text, clock.now())
    checkAnswers(message, request)
    if (message.fid !== fid) throw invalid('fid', 'is another one than that of the message')
    const method = await checkSigned(this.#terms, message, {
      signature: fromHex(signature)!,
      acceptAuthAddress: request.acceptAuthAddress ?? true,
    })
    if (authMethod !== undefined && authMethod !== method) {
      throw invalid('authMethod', `is ${method} for this address`)
    }
    const signed: SignedIn = { message: text, signature, authMethod: method, fid }
    const isCompleted = await storage.write(`sign-in/${client}`, (tx) =>
      tx.of(signInRows).complete(token_hash, signed, clock.now()),
    )
    if (!isCompleted) throw completed()
    return { ...channel, state: 'completed', message: text, signature, auth_method: method, fid }
  }

  /** Closes a pending channel: nobody can complete it then, and its app learns it until the channel expires. */
  async decline(token: string): Promise<void> {
    const { token_hash, client } = await this.get(token)
    const isDeclined = await this.#terms.storage.write(`sign-in/${client}`, (tx) =>
      tx.of(signInRows).decline(token_hash),
    )
    if (!isDeclined) throw completed()
  }

  /** Deletes expired channels and nonces. */
  get collectJob(): Job {
    const { storage, clock } = this.#terms
    return {
      name: 'sign in',
      scope: 'leader',
      everyMs: COLLECT_INTERVAL_MS,
      run: () =>
        storage.write('all/sign-ins', (tx) => tx.of(signInRows).collect(clock.now(), MAX_CHANNELS)),
    }
  }
}

function checkRequest(request: SignInRequest, now: number): void {
  const { domain, expirationTime, notBefore } = request
  for (const [name, time] of Object.entries({ expirationTime, notBefore })) {
    if (time !== undefined && Number.isNaN(Date.parse(time))) throw invalid(name, 'is not a time')
  }
  const host = domain.replace(/:[0-9]+$/, '').toLowerCase()
  if (RESTRICTED_DOMAINS.some((one) => host === one || host.endsWith(`.${one}`))) {
    throw invalid('domain', `must not be ${domain}: accounts of another network sign in there`)
  }
  if (expirationTime !== undefined && Date.parse(expirationTime) <= now) {
    throw invalid('expirationTime', 'is over')
  }
  // Every address and fid makes a message of the same form.
  writeMessage(request, { address: new Uint8Array(20), fid: 1, now })
}

const hashOf = (token: string): Uint8Array => Uint8Array.from(hash('sha256', token, 'buffer'))

const unknown = () =>
  new Rejection(
    'unauthenticated',
    'the channel token is unknown: the channel has expired, or its signature was taken',
  )
const declined = () => new Rejection('unauthenticated.declined', 'the user declined to sign in')
const completed = () =>
  new Rejection('bad_request.conflict', 'the channel is completed or declined already')
