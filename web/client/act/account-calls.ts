import { type KeyScope, SCOPES, scopeNumbers } from '../../../src/client/scopes.ts'
import { SIGNED_KEY_REQUEST_METADATA } from '../../../src/kernel/protocol/crypto/key-request-abi.ts'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import type { TypedData } from '../../types.ts'
import type { Connection } from '../../wallets/provider.ts'
import { signTypedData } from '../../wallets/sign.ts'
import type { NewKey } from './key-store.ts'
import { getStruct, networkNow, typedDataOf } from './network.ts'

// What a wallet signs about an account: registering it, the key of this browser, and its name. Each call is
// one or two signatures; the server acts on them, and nothing costs a fee.

const NO_ADDRESS = `0x${'00'.repeat(20)}`
/** Time to answer a wallet and for the request to arrive. */
const DEADLINE_SECONDS = 3_600
const POLL_MS = 500
const MAX_POLLS = 120
/** The longest that the hub allows. */
const KEY_TTL_SECONDS = 90 * 86_400
const ALL_SCOPES = Object.keys(SCOPES) as KeyScope[]
/** The longest page of the hub. */
const MAX_KEYS = 1_000

const hex = (bytes: Uint8Array): string =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`

const post = <T>(path: string, body: object): Promise<T> =>
  fetchJson<T>(path, { method: 'POST', body })

async function nonceOf(contract: string, address: string): Promise<number> {
  const query = { contract, address }
  return (await fetchJson<{ nonce: number }>('/accounts/v1/nonce', { query })).nonce
}

/** The account that an address holds. */
export async function findFid(address: string): Promise<number | undefined> {
  const query = { address }
  const { fid } = await fetchJson<{ fid: number }>('/accounts/v1/idOf', { query })
  return fid === 0 ? undefined : fid
}

/** Whether an address is the custody or an auth address of an account; undefined if it is neither. */
export async function signInMethodOf(
  fid: number,
  address: string,
): Promise<'custody' | 'authAddress' | undefined> {
  if ((await findFid(address)) === fid) return 'custody'
  const query = { fid, address: address.toLowerCase() }
  const { is_auth } = await fetchJson<{ is_auth: boolean }>('/hub/v1/fidAddressType', { query })
  return is_auth ? 'authAddress' : undefined
}

/** Registers an account for the connected address. One signature. */
export async function register(
  connection: Connection,
  invite: string,
  recovery = NO_ADDRESS,
): Promise<number> {
  const { address } = connection
  const deadline = (await networkNow()) + DEADLINE_SECONDS
  const nonce = await nonceOf('idGateway', address)
  const message = { to: address, recovery, nonce, deadline }
  const signature = await signTypedData(
    connection,
    typedDataOf(await getStruct('Register'), message),
  )
  await post('/accounts/v1/registerFor', {
    to: address,
    recovery,
    deadline,
    signature,
    ...(invite && { invite }),
  })
  return until(() => findFid(address))
}

/** Lets a key sign for the account: a request in its own name, and its consent. Two signatures. */
export async function addKey(connection: Connection, fid: number, key: NewKey): Promise<void> {
  const { address } = connection
  const deadline = (await networkNow()) + DEADLINE_SECONDS
  const publicKey = hex(key.publicKey)
  const request = typedDataOf(await getStruct('SignedKeyRequest'), {
    requestFid: fid,
    key: publicKey,
    deadline,
  })
  const requestSignature = await signTypedData(connection, request)
  const metadata = await metadataOf(fid, address, requestSignature, deadline)
  const nonce = await nonceOf('keyGateway', address)
  const terms = { owner: address, keyType: 1, key: publicKey, metadataType: 1, metadata }
  const consent = typedDataOf(await getStruct('Add'), { ...terms, nonce, deadline })
  const signature = await signTypedData(connection, consent)
  await post('/accounts/v1/addFor', { ...terms, deadline, signature })
  await until(async () => ((await hasKey(fid, key)) ? true : undefined))
  await key.keepFor(fid)
}

/** The signed request as contracts read it: one tuple in ABI encoding. */
async function metadataOf(
  fid: number,
  address: string,
  signature: string,
  deadline: number,
): Promise<string> {
  const { encodeAbiParameters } = await import('viem')
  type Hex = `0x${string}`
  return encodeAbiParameters(SIGNED_KEY_REQUEST_METADATA, [
    {
      requestFid: BigInt(fid),
      requestSigner: address as Hex,
      signature: signature as Hex,
      deadline: BigInt(deadline),
    },
  ])
}

/**
 * The same for an account that exists already, by a message to the hub: no call and no transaction. The key expires when it
 * is not used. Two signatures.
 */
export async function addGaslessKey(
  connection: Connection,
  fid: number,
  key: NewKey,
  onWait: (until: number) => void,
): Promise<void> {
  const { address } = connection
  const [{ sendMessage, bytesOf, MessageType, networkSeconds }, keys] = await Promise.all([
    import('./message.ts'),
    import('../../../src/client/keys.ts'),
  ])
  const structs = {
    KeyAdd: await getStruct('KeyAdd'),
    SignedKeyRequest: await getStruct('SignedKeyRequest'),
  }
  const sign = async (typedData: unknown) =>
    bytesOf(await signTypedData(connection, typedData as TypedData))
  const deadline = (await networkSeconds()) + DEADLINE_SECONDS
  const request = { requestFid: fid, key: key.publicKey, deadline }
  const metadata = keys.keyRequestMetadata({
    ...request,
    requestSigner: address,
    signature: await sign(keys.keyRequestTypedData(structs, request)),
  })
  const { currentUserNonce } = await signersOf(fid, { pageSize: 1 })
  const scopes = ALL_SCOPES
  const terms = { key: key.publicKey, ttl: KEY_TTL_SECONDS, nonce: currentUserNonce + 1, deadline }
  const typedData = keys.keyAddTypedData(structs, { fid, scopes, ...terms })
  const custodySignature = await sign(typedData)
  const body = {
    case: 'keyAddBody',
    value: {
      ...terms,
      keyType: 1,
      custodySignature,
      metadata,
      metadataType: 1,
      scopes: scopeNumbers(scopes),
    },
  } as const
  // What the wallet has signed is sent again, so that it is not asked twice.
  await sendMessage({ fid, ...key }, MessageType.KEY_ADD, body, onWait)
  await key.keepFor(fid)
}

type Signers = {
  readonly signers: readonly { readonly key: string; readonly expiresAt?: number }[]
  readonly currentUserNonce: number
}

const signersOf = (fid: number, query: { pageSize: number }): Promise<Signers> =>
  fetchJson('/hub/v1/signersByFid', { query: { fid, ...query } })

/** Whether the account has this key, so that the hub accepts what it signs. */
export async function hasKey(
  fid: number,
  { publicKey }: Pick<NewKey, 'publicKey'>,
): Promise<boolean> {
  const { signers } = await signersOf(fid, { pageSize: MAX_KEYS })
  const found = signers.find(({ key }) => key === hex(publicKey))
  return found !== undefined && (found.expiresAt ?? Infinity) > (await networkNow())
}

/** The public keys of an account, in hexadecimal. */
export const signerKeys = async (fid: number): Promise<string[]> =>
  (await signersOf(fid, { pageSize: MAX_KEYS })).signers.map(({ key }) => key)

export type Availability = {
  readonly status: 'free' | 'taken' | 'reserved' | 'locked'
  readonly fid?: number
  /** Unix seconds: of a name that was given back. */
  readonly availableAt?: number
}

export const availabilityOf = (name: string): Promise<Availability> =>
  fetchJson('/registry/availability', { query: { name } })

/** Registers a name for the account. One signature. */
export const registerName = (connection: Connection, fid: number, name: string): Promise<void> =>
  changeName(connection, { name, from: 0, to: fid, fid })

/** Gives a name back. One signature. */
export const releaseName = (connection: Connection, fid: number, name: string): Promise<void> =>
  changeName(connection, { name, from: fid, to: 0, fid })

type Change = { name: string; from: number; to: number; fid: number }

async function changeName(connection: Connection, change: Change): Promise<void> {
  const { address } = connection
  const { name } = change
  const timestamp = await networkNow()
  const message = { name, timestamp, owner: address }
  const struct = await getStruct('UserNameProof')
  const signature = await signTypedData(connection, typedDataOf(struct, message))
  await post('/registry/transfers', { ...change, owner: address, timestamp, signature })
}

/** Sets who may move the account when its key is lost. One signature. */
export async function changeRecovery(connection: Connection, recovery: string): Promise<void> {
  const { address } = connection
  const fid = await findFid(address)
  const { recoveryAddress: from } = await accountOf(fid!)
  const deadline = (await networkNow()) + DEADLINE_SECONDS
  const nonce = await nonceOf('idRegistry', address)
  const message = { fid: fid!, from, to: recovery, nonce, deadline }
  const struct = await getStruct('ChangeRecoveryAddress')
  const signature = await signTypedData(connection, typedDataOf(struct, message))
  await post('/accounts/v1/changeRecoveryAddressFor', {
    owner: address,
    recovery,
    deadline,
    signature,
  })
  await until(async () => {
    const { recoveryAddress } = await accountOf(fid!)
    return recoveryAddress === recovery.toLowerCase() ? true : undefined
  })
}

const accountOf = (fid: number) =>
  fetchJson<{ recoveryAddress: string }>('/accounts/v1/account', { query: { fid } })

const DAY_SECONDS = 86_400

/** What a key signs to receive an account within some days. */
export async function transferConsent(to: Connection, fid: number, days: number) {
  const deadline = (await networkNow()) + days * DAY_SECONDS
  const nonce = await nonceOf('idRegistry', to.address)
  const struct = await getStruct('Transfer')
  return { deadline, typedData: typedDataOf(struct, { fid, to: to.address, nonce, deadline }) }
}

/** Gives the account to another key. Each side signs once. */
export async function transferTo(from: Connection, to: Connection, fid: number): Promise<void> {
  if ((await findFid(to.address)) !== undefined) {
    throw new Error(t('This wallet account has an account here already. Use another one.'))
  }
  const deadline = (await networkNow()) + DEADLINE_SECONDS
  const struct = await getStruct('Transfer')
  const sign = async (by: Connection) => {
    const nonce = await nonceOf('idRegistry', by.address)
    return signTypedData(by, typedDataOf(struct, { fid, to: to.address, nonce, deadline }))
  }
  const [toSignature, fromSignature] = [await sign(to), await sign(from)]
  await post('/accounts/v1/transferFor', {
    from: from.address,
    to: to.address,
    fromDeadline: deadline,
    fromSignature,
    toDeadline: deadline,
    toSignature,
  })
  await until(async () => ((await findFid(to.address)) === fid ? true : undefined))
}

/** Accounts that are kept on a chain exist some time after the call. */
async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const found = await find()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error(
    t('The network has not confirmed it yet. Try again in a minute: nothing is lost.'),
  )
}
