import { createHmac, randomBytes } from 'node:crypto'
import { DEVELOPMENT_KEY } from '../../kernel/app-api/given-keys.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { publicKeyOf, signEd25519 } from '../../kernel/protocol/crypto/ed25519.ts'
import type { Kind, Recorded, RecordedEvent, RecordedSignIn, RecordedWebhook } from './session.ts'

// Sends what was recorded to an app again. Times and signatures are made anew, by the public interfaces of a development network
// and the keys that it gives to everybody.

/** As deliveries of the server. */
const TIMEOUT_MS = 10_000
const TOKEN_BYTES = 24
const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]']
/** In the message of an error. */
const MAX_TOLD_ADDRESSES = 10

export type ReplayTarget = {
  /** The address of the app. Without a path, each entry goes to the path that it was recorded with. */
  readonly to: string
  /** Of webhooks. Unless given, that of the webhook of the network which has this address. */
  readonly secret?: string | undefined
  /** Leaves the other kinds out. */
  readonly only?: Kind | undefined
}

/** What has become of an entry. */
export type Replayed = {
  readonly kind: Kind
  readonly url: string
  /** How the app answered; 0 when it has not got the entry. */
  readonly status: number
  /** Why the app has not got it, and what to do. */
  readonly failure?: string
}

/** Whether the app has taken an entry. */
export const isTaken = ({ status }: Replayed): boolean => status >= 200 && status < 300

/** An entry cannot be sent; the message says what to do. */
export class ReplayError extends Error {}

type Urls = { readonly platform: string; readonly app: string; readonly operations: string }
type Signed = { readonly body: string; readonly headers?: Readonly<Record<string, string>> }
type Json = Readonly<Record<string, unknown>>

/** An app that has not answered so often in a row is not asked any more: each would wait for its time. */
const MAX_UNANSWERED = 3

/**
 * Sends the entries in their order, each when the app has answered the one before. One that cannot be sent does not keep the others
 * from being sent.
 */
export async function replay(
  session: readonly Recorded[],
  target: ReplayTarget,
  urls: Urls,
  onReplayed: (one: Replayed) => void = () => {},
): Promise<Replayed[]> {
  const base = addressOf(target.to)
  const network = new Network(urls)
  const replayed: Replayed[] = []
  let unanswered = 0
  for (const entry of session) {
    if (target.only !== undefined && entry.kind !== target.only) continue
    const url = addressAt(base, entry.path)
    const one = { kind: entry.kind, url }
    const isSilent = unanswered >= MAX_UNANSWERED
    const outcome = isSilent ? LEFT_OUT : await outcomeOf(network, entry, url, target.secret)
    // What was not sent to the app says nothing about it.
    if (outcome.isUnanswered) unanswered++
    else if (outcome.status > 0) unanswered = 0
    const { isUnanswered: _, ...told } = outcome
    replayed.push({ ...one, ...told })
    onReplayed(replayed.at(-1)!)
  }
  return replayed
}

type Outcome = Pick<Replayed, 'status' | 'failure'> & { readonly isUnanswered?: boolean }

const LEFT_OUT: Outcome = {
  status: 0,
  failure: `the app has not answered ${MAX_UNANSWERED} times, so the rest was left out`,
}

async function outcomeOf(
  network: Network,
  entry: Recorded,
  url: string,
  secret: string | undefined,
): Promise<Outcome> {
  try {
    const signed = await signedAnew(network, entry, url, secret)
    return await post(url, signed)
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error
    return { status: 0, failure: error.message }
  }
}

function addressOf(text: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text)
  throw new ReplayError(`"${text}" is no address of an app: give one such as http://localhost:3001`)
}

/** A path is set, not resolved, so that no file can choose another host. */
function addressAt(base: URL, path: string): string {
  const url = new URL(base)
  if (base.pathname === '/') url.pathname = path
  return url.href
}

/** As the addresses of one app are compared: it may be told by any name of this machine. */
function comparable(address: string): string {
  const url = new URL(address)
  if (OWN_HOSTS.includes(url.hostname)) url.hostname = 'localhost'
  return url.href
}

function signedAnew(network: Network, entry: Recorded, url: string, secret: string | undefined) {
  switch (entry.kind) {
    case 'webhook':
      return webhook(network, entry, url, secret)
    case 'mini-app event':
      return miniAppEvent(network, entry)
    case 'sign-in':
      return signIn(network, entry)
  }
}

async function webhook(
  network: Network,
  { body: recorded }: RecordedWebhook,
  url: string,
  given: string | undefined,
): Promise<Signed> {
  const secret = given ?? (await network.secretOf(url))
  const now = await network.now()
  const body = JSON.stringify({
    ...recorded,
    created_at: now,
    ...('event_timestamp' in recorded && { event_timestamp: new Date(now * 1_000).toISOString() }),
  })
  const signature = createHmac('sha512', secret).update(body).digest('hex')
  return { body, headers: { 'x-neynar-signature': signature } }
}

/** Its token is new, and this network does not know it. */
async function miniAppEvent(
  network: Network,
  { fid, event, notifies }: RecordedEvent,
): Promise<Signed> {
  const seed = fromHex((await network.accountOf(fid)).appPrivateKey)!
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const details = { url: `${network.urls.platform}/v1/frame-notifications`, token }
  const header = encode({ fid, type: 'app_key', key: toHex(publicKeyOf(seed)) })
  const payload = encode({ event, ...(notifies && { notificationDetails: details }) })
  const signature = signEd25519(Buffer.from(`${header}.${payload}`), seed)
  const signed = { header, payload, signature: Buffer.from(signature).toString('base64url') }
  return { body: JSON.stringify(signed) }
}

/** By a channel of its own: what its app would be given by the relay. */
async function signIn(network: Network, { fid, domain, siweUri }: RecordedSignIn): Promise<Signed> {
  const { custodyAddress: address } = await network.accountOf(fid)
  const channel = `${network.urls.platform}/v1/channel`
  const { channelToken } = await ask(channel, { body: { domain, siweUri } })
  const token = String(channelToken)
  const { message } = await ask(`${channel}/request?address=${address}`, { token })
  const hex = toHex(Buffer.from(String(message)))
  const wallet = { method: 'personal_sign', params: [hex, address] }
  const { result } = await ask(`${network.urls.platform}/dev/wallet`, { body: wallet })
  const proof = { message, signature: result, fid }
  const completed = await ask(`${channel}/authenticate`, { token, body: proof })
  return { body: JSON.stringify(completed) }
}

type Account = {
  readonly fid: number
  readonly custodyAddress: string
  readonly appPrivateKey: string
}

/** What a development network tells everybody. */
class Network {
  readonly urls: Urls
  #accounts: readonly Account[] | undefined

  constructor(urls: Urls) {
    this.urls = urls
  }

  async now(): Promise<number> {
    return Number((await ask(`${this.urls.operations}/dev/clock`)).unixSeconds)
  }

  async accountOf(fid: number): Promise<Account> {
    this.#accounts ??= (await ask(`${this.urls.operations}/dev/accounts`)).accounts as Account[]
    const found = this.#accounts.find((one) => one.fid === fid)
    if (found) return found
    throw new ReplayError(
      `fid ${fid} is no account of this network, so its key is unknown: make more with rookery dev accounts --add`,
    )
  }

  async secretOf(url: string): Promise<string> {
    const headers = { 'x-api-key': DEVELOPMENT_KEY }
    const list = await ask(`${this.urls.app}/v2/farcaster/webhook/list`, { headers })
    const webhooks = list.webhooks as { target_url: string; secrets: { value: string }[] }[]
    const found = webhooks.find((one) => comparable(one.target_url) === comparable(url))
    const secret = found?.secrets[0]?.value
    if (secret !== undefined) return secret
    const addresses = webhooks.slice(0, MAX_TOLD_ADDRESSES).map((one) => one.target_url)
    const known = addresses.length === 0 ? 'it has none' : `it has ${addresses.join(', ')}`
    throw new ReplayError(
      `no webhook of the app "${DEVELOPMENT_KEY}" has the address ${url}; ${known}: create it, or give its secret`,
    )
  }
}

type Asked = {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** One request to the network. */
async function ask(url: string, asked: Asked = {}): Promise<Json> {
  const { ok, status, text } = await answerOf(url, asked).catch((error) => {
    throw new ReplayError(`${url} of the network does not answer (${causeOf(error)})`)
  })
  if (!ok) throw new ReplayError(`${url} answered ${status}: ${text}`)
  try {
    return JSON.parse(text) as Json
  } catch {
    throw new ReplayError(`${url} of the network answered without JSON`)
  }
}

async function answerOf(url: string, { token, headers, body }: Asked) {
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...headers,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return { ok: response.ok, status: response.status, text: await response.text() }
}

/** Redirects are not followed, as in deliveries of the server. */
async function post(url: string, { body, headers }: Signed): Promise<Outcome> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  } as const
  try {
    const response = await fetch(url, init)
    await response.body?.cancel()
    return { status: response.status }
  } catch (error) {
    const why = causeOf(error as Error)
    if (why === BLOCKED) {
      throw new ReplayError(
        `fetch sends nothing to the port of ${url}: let the app have another one`,
      )
    }
    const failure = `${url} does not answer (${why}): start the app`
    return { status: 0, failure, isUnanswered: true }
  }
}

/** What fetch says of the ports that its standard lists, such as 6000: it connects to none of them. */
const BLOCKED = 'bad port'

const causeOf = ({ cause, message }: Error): string =>
  cause instanceof Error && cause.message ? cause.message : message
