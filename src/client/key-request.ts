import { KEY_BYTES } from '../kernel/protocol/sizes.ts'
import { deadlineOf, signStruct } from './account-calls.ts'
import { checkFid, checkNetwork, checkWallet } from './checks.ts'
import { RookeryError } from './error.ts'
import { type Bytes, bytesOf, toHex } from './hex.ts'
import { type Network, until, type WaitOptions } from './network.ts'
import type { Wallet } from './wallet.ts'

/** An app that asks for keys: its account, and the wallet of that account. */
export type RequestingApp = { readonly fid: number; readonly wallet: Wallet }

export type KeyRequest = {
  /** Names the request; it is the permission to read its state. */
  readonly token: string
  /** Where the user approves in a browser. Show it as a link or a QR code. */
  readonly approvalUrl: string
  /** The same for wallet apps. */
  readonly deeplinkUrl: string
  /** Resolves with the fid of the user; throws a RookeryError with code `denied` or `failed`. */
  approved(options?: WaitOptions): Promise<number>
}

/** Asks a user for a key: whoever approves lets it sign messages for their account. One signature of the app. */
export async function requestKey(
  network: Network,
  { fid: requestFid, wallet }: RequestingApp,
  publicKey: Bytes,
): Promise<KeyRequest> {
  checkNetwork(network)
  checkWallet(wallet)
  checkFid(requestFid, 'fid')
  const key = toHex(bytesOf(publicKey, 'the key', KEY_BYTES))
  const terms = { requestFid, key, deadline: await deadlineOf(network) }
  const signature = await signStruct(network, wallet, 'SignedKeyRequest', terms)
  const { platform } = network
  const { result } = await platform.post('/v2/signed-key-requests', { ...terms, signature })
  const { token, approvalUrl, deeplinkUrl } = result.signedKeyRequest
  return {
    token,
    approvalUrl,
    deeplinkUrl,
    approved: (options = {}) => until(() => approverOf(network, token), options),
  }
}

/** The user who approved; undefined while nobody has. */
async function approverOf({ platform }: Network, token: string): Promise<number | undefined> {
  const { result } = await platform.get('/v2/signed-key-request', { token })
  const { state, userFid, reason } = result.signedKeyRequest
  if (state === 'completed') return userFid
  if (state !== 'denied' && state !== 'failed') return undefined
  const words = state === 'denied' ? 'the user denied the key' : `the key was not added: ${reason}`
  throw new RookeryError(words, { status: 0, code: state })
}
