import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto'
import { base58 } from '@scure/base'
import { WebSocket } from 'ws'

// A wallet on another device for tests: the other end of WalletConnect 2, written from its specification with
// node:crypto, so that it shares nothing with the client in web/wallets/walletconnect.

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

export type RemoteWallet = {
  /** The proposal as it arrived. */
  readonly proposal: Promise<Json>
  /** Sends a request of the wallet's own to the page. */
  send(method: string, params: object): void
  /** Methods that the page has answered. */
  readonly answered: readonly string[]
  close(): void
}

type Options = {
  readonly relayUrl: string
  /** CAIP-10 accounts; none declines the proposal. */
  readonly accounts: readonly string[]
  /** Answers a request of the page. The wallet refuses with the code and the message of an error that it throws. */
  answer(method: string, params: Json[], chainId: string): unknown
}

/** Reads a code and does what a wallet does. */
export function openRemoteWallet(uri: string, options: Options): RemoteWallet {
  const [, topic = '', query = ''] = /^wc:([0-9a-f]{64})@2\?(.*)$/.exec(uri) ?? []
  const pairingKey = Buffer.from(new URLSearchParams(query).get('symKey') ?? '', 'hex')
  const socket = new WebSocket(
    `${options.relayUrl}?auth=${token(options.relayUrl)}&projectId=wallet`,
  )
  const proposal = Promise.withResolvers<Json>()
  const answered: string[] = []
  const asked = new Map<number, string>()
  const keys = new Map([[topic, pairingKey]])
  let session: { topic: string; key: Buffer } | undefined
  let ids = Date.now() * 1_000

  const call = (method: string, params: object) =>
    socket.send(JSON.stringify({ id: ++ids, jsonrpc: '2.0', method, params }))
  const publish = (to: { topic: string; key: Buffer }, payload: object, tag: number) => {
    const message = seal({ jsonrpc: '2.0', ...payload }, to.key)
    call('irn_publish', { topic: to.topic, message, tag, ttl: 300 })
  }
  const send = (method: string, params: object) => {
    asked.set(++ids, method)
    publish(session!, { id: ids, method, params }, 1102)
  }

  function approve({ id, params }: Json): void {
    proposal.resolve(params)
    const pairing = { topic, key: pairingKey }
    if (options.accounts.length === 0) {
      publish(pairing, { id, error: { code: 5000, message: 'User rejected.' } }, 1120)
      return
    }
    const { publicKey, privateKey } = generateKeyPairSync('x25519')
    const x = (from: string) => Buffer.from(from, 'hex').toString('base64url')
    const theirs = createPublicKey({
      key: { kty: 'OKP', crv: 'X25519', x: x(params.proposer.publicKey) },
      format: 'jwk',
    })
    const shared = diffieHellman({ privateKey, publicKey: theirs })
    const key = Buffer.from(hkdfSync('sha256', shared, '', '', 32))
    session = { topic: createHash('sha256').update(key).digest('hex'), key }
    keys.set(session.topic, key)
    call('irn_subscribe', { topic: session.topic })
    const own = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('hex')
    publish(pairing, { id, result: { relay: { protocol: 'irn' }, responderPublicKey: own } }, 1101)
    const { methods, events } = params.optionalNamespaces.eip155
    const namespaces = { eip155: { accounts: options.accounts, methods, events } }
    const controller = { publicKey: own, metadata: { name: 'Test', url: '', icons: [] } }
    send('wc_sessionSettle', { relay: { protocol: 'irn' }, namespaces, controller, expiry: 0 })
  }

  async function answerRequest({ id, params }: Json): Promise<void> {
    const { request, chainId } = params
    try {
      const result = await options.answer(request.method, request.params, chainId)
      publish(session!, { id, result }, 1109)
    } catch (error) {
      publish(session!, { id, error }, 1109)
    }
  }

  socket.on('open', () => call('irn_subscribe', { topic }))
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data))
    if (frame.method !== 'irn_subscription') return
    const key = keys.get(frame.params.data.topic)!
    const payload = unseal(frame.params.data.message, key)
    if (payload.method === 'wc_sessionPropose') approve(payload)
    else if (payload.method === 'wc_sessionRequest') void answerRequest(payload)
    else if (payload.result === true) answered.push(asked.get(payload.id)!)
  })
  return { proposal: proposal.promise, send, answered, close: () => socket.terminate() }
}

function seal(value: object, key: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
  return Buffer.concat([Buffer.of(0), nonce, sealed, cipher.getAuthTag()]).toString('base64')
}

function unseal(envelope: string, key: Buffer): Json {
  const bytes = Buffer.from(envelope, 'base64')
  const options = { authTagLength: 16 }
  const decipher = createDecipheriv('chacha20-poly1305', key, bytes.subarray(1, 13), options)
  decipher.setAuthTag(bytes.subarray(-16))
  return JSON.parse(`${decipher.update(bytes.subarray(13, -16))}${decipher.final()}`)
}

function token(audience: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  const iss = `did:key:z${base58.encode(Buffer.concat([Buffer.of(0xed, 0x01), key]))}`
  const iat = Math.floor(Date.now() / 1_000)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const sub = randomBytes(32).toString('hex')
  const payload = part({ iss, sub, aud: audience, iat, exp: iat + 60 })
  const signed = `${part({ alg: 'EdDSA', typ: 'JWT' })}.${payload}`
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}
