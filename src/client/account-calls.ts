import { KEY_BYTES } from '../kernel/protocol/sizes.ts'
import { checkFid, checkNetwork, checkText, checkWallet } from './checks.ts'
import { type Bytes, bytesOf, toHex } from './hex.ts'
import { keyRequestMetadata, type SigningStructs, walletTypedData } from './keys.ts'
import { checkWaiting, type Network, timeOf, until, type WaitOptions } from './network.ts'
import type { Wallet } from './wallet.ts'

// What the custody address of an account signs for the ledger and the registry. Each function resolves when the network
// has confirmed the call.

const NO_ADDRESS = `0x${'00'.repeat(20)}`
/** Time to answer a wallet and for the request to arrive. */
const DEADLINE_SECONDS = 3_600
const ED25519 = 1
const SIGNED_KEY_REQUEST = 1

export type Registration = WaitOptions & {
  /** Code of an invite, where the server asks for one. */
  readonly invite?: string
  /** The address that may move the account when the custody key is lost; none unless given. */
  readonly recovery?: string
  /** The public key of a signer that may then sign messages for the account. */
  readonly key?: Bytes
}

/** Registers an account for the address of the wallet and returns its fid. One signature; with a key three. */
export async function registerAccount(
  network: Network,
  wallet: Wallet,
  { invite, recovery = NO_ADDRESS, key, ...waiting }: Registration = {},
): Promise<number> {
  checkNetwork(network)
  checkWallet(wallet)
  checkWaiting(waiting)
  const { accounts } = network
  const { address } = wallet
  const terms = { to: address, recovery, deadline: await deadlineOf(network) }
  const nonce = await nonceOf(network, address, 'idGateway')
  const signature = await signStruct(network, wallet, 'Register', { ...terms, nonce })
  const call = { ...terms, signature, ...(invite !== undefined && { invite }) }
  await accounts.post('/v1/registerFor', call)
  const fid = await until(async () => {
    const { fid } = await accounts.get('/v1/idOf', { address })
    return fid === 0 ? undefined : fid
  }, waiting)
  if (key !== undefined) await addAccountKey(network, wallet, { fid, key, ...waiting })
  return fid
}

/** Lets a key sign messages for an account, which asks for it in its own name. Two signatures. */
export async function addAccountKey(
  network: Network,
  wallet: Wallet,
  { fid, key, ...waiting }: WaitOptions & { readonly fid: number; readonly key: Bytes },
): Promise<void> {
  checkNetwork(network)
  checkWallet(wallet)
  checkFid(fid, 'fid')
  checkWaiting(waiting)
  const { accounts } = network
  const { address: owner } = wallet
  const deadline = await deadlineOf(network)
  const added = toHex(bytesOf(key, 'the key', KEY_BYTES))
  const request = { requestFid: fid, key: added, deadline }
  const requested = await signStruct(network, wallet, 'SignedKeyRequest', request)
  const signed = { ...request, requestSigner: owner, signature: requested }
  const terms = {
    ...{ owner, keyType: ED25519, key: added, metadataType: SIGNED_KEY_REQUEST },
    metadata: toHex(keyRequestMetadata(signed)),
    deadline,
  }
  const nonce = await nonceOf(network, owner, 'keyGateway')
  const signature = await signStruct(network, wallet, 'Add', { ...terms, nonce })
  await accounts.post('/v1/addFor', { ...terms, signature })
  await until(async () => {
    const { keys } = await accounts.get('/v1/keys', { fid })
    return keys.some((one) => one.key === added) || undefined
  }, waiting)
}

/** Registers a name for an account. One signature. */
export async function claimName(
  network: Network,
  wallet: Wallet,
  { fid, name }: { readonly fid: number; readonly name: string },
): Promise<void> {
  checkNetwork(network)
  checkWallet(wallet)
  checkFid(fid, 'fid')
  checkText(name, 'name')
  const { address: owner } = wallet
  const timestamp = await timeOf(network)
  const signature = await signStruct(network, wallet, 'UserNameProof', { name, timestamp, owner })
  const change = { name, from: 0, to: fid, fid, owner, timestamp, signature }
  await network.registry.post('/transfers', change)
}

export const deadlineOf = async (network: Network): Promise<number> =>
  (await timeOf(network)) + DEADLINE_SECONDS

/** Each contract counts the calls of an address. */
const nonceOf = async (
  { accounts }: Network,
  address: string,
  contract: 'idGateway' | 'keyGateway',
): Promise<number> => (await accounts.get('/v1/nonce', { contract, address })).nonce

/** Signs what the server says that wallets sign. */
export async function signStruct(
  { accounts, registry }: Network,
  wallet: Wallet,
  primaryType: string,
  message: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { structs } =
    primaryType === 'UserNameProof'
      ? await registry.get('/domains')
      : await accounts.get('/v1/domains')
  const known = structs as unknown as SigningStructs
  return wallet.signTypedData(walletTypedData(known, primaryType, message))
}
