import type { UserTransaction } from '../../kernel/accounts/port.ts'
import { removeTypedData } from '../../kernel/accounts/signatures/typed-data.ts'
import { unknownFid } from '../../kernel/platform/unknown.ts'
import { buildMessage, keyRemove } from '../../kernel/protocol/build.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { SEED_BYTES } from '../../kernel/protocol/crypto/ed25519.ts'
import { keyRemoveTypedData } from '../../kernel/protocol/crypto/eip712.ts'
import { decodeSignedKeyRequestMetadata } from '../../kernel/protocol/crypto/key-request-metadata.ts'
import { KEY_REMOVAL } from '../../kernel/protocol/kinds/gasless-key.ts'
import { namesOf } from '../../kernel/protocol/kinds/json-layout.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import { MessageTypeSchema } from '../../kernel/protocol/wire/message_pb.js'
import type { OnChainEvent } from '../../kernel/protocol/wire/onchain_event_pb.js'
import { gaslessKeyTerms } from '../../kernel/storage/reads/gasless-keys.ts'
import type { PageRequest } from '../../kernel/storage/reads/page.ts'
import type { KeyRequestContext } from './context.ts'
import { inFieldsOfApproval, keyDomainOf, nextKeyNonce } from './gasless.ts'
import { APPROVAL_SECONDS } from './limits.ts'
import { readPeople } from './people.ts'
import { checkDeadline, inWords } from './refusals.ts'

// The keys of an account and the apps that requested them.

/** Finds an account by its fid or its custody address. */
export async function getAccount(
  { accounts }: KeyRequestContext,
  { fid, address }: { fid?: number | undefined; address?: Uint8Array | undefined },
) {
  if (fid === undefined && address === undefined) {
    throw new Rejection('bad_request.validation_failure', 'fid or address is missing', {
      field: 'fid',
    })
  }
  const held = fid ?? (await accounts.fidOf(address!))
  const account = held === undefined ? undefined : await accounts.custodyOf(held)
  if (account) return account
  if (fid !== undefined) throw unknownFid(fid, 'fid')
  throw new Rejection('not_found', 'No FID has this custody address', { field: 'address' })
}

type Key = {
  readonly key: string
  readonly addedAt: number
  /** The fid of the app that asked for it. */
  readonly app: number | undefined
  readonly gasless?: { readonly scopes: string[]; readonly expiresAt: number }
}
/** The last key of a page, in the list that it is of. */
export type KeyPosition = { readonly isGasless: boolean; readonly key: Uint8Array | undefined }

/** The active keys of a fid: those by transactions, then gasless ones. `next` is where the next page begins. */
export async function listSigners(
  context: KeyRequestContext,
  fid: number,
  { size, after }: { size: number; after: KeyPosition },
) {
  const { items, next } = await keysAfter(context, fid, size, after)
  const apps = items.flatMap(({ app }) => app ?? [])
  const people = await readPeople(context.storage, [fid, ...apps])
  return {
    user: people.get(fid)!,
    signers: items.map(({ app, ...key }) => ({
      ...key,
      ...(app !== undefined && { app: people.get(app)! }),
    })),
    next,
  }
}

type KeyPage = { readonly items: Key[]; readonly next: KeyPosition | undefined }

async function keysAfter(
  context: KeyRequestContext,
  fid: number,
  size: number,
  after: KeyPosition,
): Promise<KeyPage> {
  if (after.isGasless) return gaslessKeys(context, fid, { size, token: after.key })
  const first = await keysByTransactions(context, fid, { size, token: after.key })
  if (first.next) return first
  const left = size - first.items.length
  // A page that is full says whether there is a gasless key.
  const { items, next } = await gaslessKeys(context, fid, { size: Math.max(left, 1) })
  if (left > 0) return { items: [...first.items, ...items], next }
  const start = { isGasless: true, key: undefined }
  return { items: first.items, next: items.length > 0 ? start : undefined }
}

async function keysByTransactions(
  { accounts }: KeyRequestContext,
  fid: number,
  page: PageRequest,
): Promise<KeyPage> {
  const { items, next } = await accounts.activeKeys(fid, page)
  const keys = items.map((event): Key => {
    const addedAt = Number(event.blockTimestamp)
    return { key: toHex(keyOf(event)), addedAt, app: appOf(event) }
  })
  return { items: keys, next: next && { isGasless: false, key: next } }
}

async function gaslessKeys(
  { storage }: KeyRequestContext,
  fid: number,
  page: PageRequest,
): Promise<KeyPage> {
  const { items, next } = await storage.gaslessKeys.list(fid, page)
  const terms = await gaslessKeyTerms(storage, items)
  const keys = terms.map(({ row, addedAt, scopes, expiresAt }): Key => {
    const gasless = { scopes: scopes.map(typeName), expiresAt }
    return { key: toHex(row.key), addedAt, app: row.request_fid, gasless }
  })
  return { items: keys, next: next && { isGasless: true, key: next } }
}

const typeName = namesOf(MessageTypeSchema)

/** The fid of the app that requested a key; undefined when the metadata cannot be decoded. */
function appOf({ body }: OnChainEvent): number | undefined {
  if (body.case !== 'signerEventBody') return undefined
  const requestFid = decodeSignedKeyRequestMetadata(body.value.metadata)?.requestFid
  const isFid = requestFid !== undefined && requestFid >= 1n && requestFid <= BigInt(MAX_FID)
  return isFid ? Number(requestFid) : undefined
}

const keyOf = ({ body }: OnChainEvent) =>
  body.case === 'signerEventBody' ? body.value.key : new Uint8Array()

/** The typed data that the owner of a fid signs to remove a key. */
export async function removalTypedData(context: KeyRequestContext, fid: number, key: Uint8Array) {
  const { address: owner } = await getAccount(context, { fid })
  if (await isGaslessKeyOf(context, fid, key)) return gaslessRemoval(context, fid, key)
  await checkActive(context, fid, key)
  const nonce = await context.keyCalls.nonce('keyRegistry', owner)
  const deadline = BigInt(context.now() + APPROVAL_SECONDS)
  return removeTypedData(context.domains, { owner, key, nonce, deadline })
}

async function gaslessRemoval(context: KeyRequestContext, fid: number, key: Uint8Array) {
  const nonce = await nextKeyNonce(context.storage, fid)
  const deadline = context.now() + APPROVAL_SECONDS
  return keyRemoveTypedData({ fid, key, nonce, deadline }, keyDomainOf(context))
}

/** Whether the fid has this gasless key, which may have expired. */
async function isGaslessKeyOf(
  { storage }: KeyRequestContext,
  fid: number,
  key: Uint8Array,
): Promise<boolean> {
  const [found] = await storage.gaslessKeys.ofKeys([key])
  return found?.fid === fid
}

async function checkActive({ accounts }: KeyRequestContext, fid: number, key: Uint8Array) {
  if (await accounts.isActiveKey(fid, key)) return
  throw new Rejection('not_found', `FID ${fid} has no active key ${toHex(key)}`, {
    field: 'key',
    reason: 'signer_already_removed',
  })
}

type Removal = {
  readonly fid: number
  readonly key: Uint8Array
  readonly deadline: number
  readonly signature: Uint8Array
}

/** Submits the signed removal of a key. Resolves to the transaction that the user has to send, if any. */
export async function removeSigner(
  context: KeyRequestContext,
  removal: Removal,
): Promise<UserTransaction | undefined> {
  const { fid, key, deadline, signature } = removal
  const { address: owner } = await getAccount(context, { fid })
  if (await isGaslessKeyOf(context, fid, key)) return removeGaslessKey(context, removal)
  await checkActive(context, fid, key)
  const call = { owner, key, deadline: BigInt(deadline), signature }
  const result = await context.keyCalls.removeFor(call).catch((error) => {
    throw error instanceof Rejection ? inWords(error) : error
  })
  return result.outcome === 'user-must-send' ? result.transaction : undefined
}

/** The custody signature is the consent, so a key of this moment signs the message. */
async function removeGaslessKey(
  context: KeyRequestContext,
  { fid, key, deadline, signature }: Removal,
): Promise<undefined> {
  const { storage, clock, keyMessages, randomBytes } = context
  checkDeadline(deadline, context.now())
  const nonce = await nextKeyNonce(storage, fid)
  const body = { key, nonce, deadline, signature, signatureType: KEY_REMOVAL.custody }
  const origin = { fid, network: keyMessages.network, timestamp: networkTime(clock.now()) }
  const message = buildMessage(keyRemove(origin, body), randomBytes(SEED_BYTES))
  await keyMessages.submit(message).catch((error) => {
    throw error instanceof Rejection ? inFieldsOfApproval(error) : error
  })
}
