import { create, fromBinary } from '@bufbuild/protobuf'
import { pageOfList } from '../../http/list-tags.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import { MAX_GASLESS_KEYS } from '../../protocol/kinds/gasless-key.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { MESSAGE_SETS } from '../../protocol/slots.ts'
import { OnChainEventSchema, OnChainEventType } from '../../protocol/wire/onchain_event_pb.js'
import { type Signer, SignerSchema, SignerSource } from '../../protocol/wire/rpc_pb.js'
import { gaslessKeyTerms } from '../../storage/reads/gasless-keys.ts'
import type { Page, PageRequest } from '../../storage/reads/page.ts'
import type { Reader } from '../../storage/storage.ts'
import type { StoredChainEvent } from '../../storage/tables/accounts.ts'
import type { GaslessKey } from '../../storage/tables/gasless-keys.ts'

/** The keys of a fid with what its next gasless key needs. */
export type Signers = Page<Signer> & {
  readonly gaslessCount: number
  readonly gaslessLimit: number
  /** The largest nonce that the fid's custody address has used. */
  readonly userNonce: number
  /** The largest nonce of each app that was asked for. */
  readonly appNonces: ReadonlyMap<number, number>
}

/** Nonces of this many apps in one answer. */
export const MAX_REQUESTER_FIDS = 100

type SignerReader = Pick<Reader, 'accounts' | 'messages' | 'gaslessKeys'>

/** An active key of a fid, by a transaction or by a message. Throws a Rejection `not_found`. */
export async function readSigner(
  reader: SignerReader,
  fid: number,
  key: Uint8Array,
): Promise<Signer> {
  const event = await addingEvent(reader, fid, key)
  if (event) return ofEvent(event)
  const [row] = await reader.gaslessKeys.ofKeys([key])
  const [signer] = row?.fid === fid ? await ofRows(reader, [row]) : []
  if (signer) return signer
  throw new Rejection('not_found', `signer ${toHex(key)} not found for fid ${fid}`)
}

/** A page of a fid's active keys by key: those by transactions, then gasless ones; in reverse, gasless ones first. */
export async function readSigners(
  reader: SignerReader,
  fid: number,
  page: PageRequest,
  requesterFids: readonly number[],
): Promise<Signers> {
  const [signers, [usage], nonces] = await Promise.all([
    pageOfList(['signers', fid], page, (plain) => readBoth(reader, fid, plain)),
    reader.messages
      .usage([fid])
      .then((rows) => rows.filter(({ store }) => store === MESSAGE_SETS.gaslessKeys)),
    reader.gaslessKeys.nonces([...new Set([fid, ...requesterFids])]),
  ])
  const nonceOf = (of: number) => nonces.find((row) => row.fid === of)
  return {
    ...signers,
    gaslessCount: usage?.count ?? 0,
    gaslessLimit: MAX_GASLESS_KEYS,
    userNonce: nonceOf(fid)?.user_nonce ?? 0,
    appNonces: new Map(requesterFids.map((of) => [of, nonceOf(of)?.app_nonce ?? 0])),
  }
}

/** The first byte of a page token: which of the two lists it continues. */
const LISTS = [listByTransactions, listGasless] as const

async function readBoth(
  reader: SignerReader,
  fid: number,
  { size, token, reverse }: PageRequest,
): Promise<Page<Signer>> {
  const order = reverse ? [1, 0] : [0, 1]
  const items: Signer[] = []
  let from = token
  for (const list of order) {
    if (from && from[0] !== list) continue
    const inner = { size: size - items.length, token: from?.subarray(1), reverse }
    from = undefined
    const found = await LISTS[list]!(reader, fid, inner)
    items.push(...found.items)
    if (found.next) return { items, next: Buffer.concat([Buffer.of(list), found.next]) }
    if (items.length < size || list === order[1]) continue
    // The page is full, and the other list may have more.
    return { items, next: Buffer.of(order[1]!) }
  }
  return { items, next: undefined }
}

async function listByTransactions(
  reader: SignerReader,
  fid: number,
  page: PageRequest,
): Promise<Page<Signer>> {
  const { items, next } = await reader.accounts.listActiveSigners(fid, nonEmpty(page))
  return { items: items.map(ofEvent), next }
}

async function listGasless(
  reader: SignerReader,
  fid: number,
  page: PageRequest,
): Promise<Page<Signer>> {
  const { items, next } = await reader.gaslessKeys.list(fid, nonEmpty(page))
  return { items: await ofRows(reader, items), next }
}

/** A token without a key begins its list. */
const nonEmpty = ({ size, token, reverse }: PageRequest): PageRequest => ({
  size,
  token: token && token.length > 0 ? token : undefined,
  reverse,
})

async function addingEvent(
  { accounts }: SignerReader,
  fid: number,
  key: Uint8Array,
): Promise<StoredChainEvent | undefined> {
  const signer = await accounts.signer(fid, key)
  if (!signer?.active) return undefined
  return accounts.event({ ...signer, type: OnChainEventType.EVENT_TYPE_SIGNER })
}

function ofEvent({ body }: Pick<StoredChainEvent, 'body'>): Signer {
  const event = fromBinary(OnChainEventSchema, body)
  if (event.body.case !== 'signerEventBody') throw new TypeError('a key has another event')
  const { key, keyType } = event.body.value
  return create(SignerSchema, {
    source: SignerSource.ONCHAIN,
    key,
    keyType,
    fid: event.fid,
    addedAt: event.blockTimestamp,
    onchainEvent: event,
  })
}

/** The keys whose KEY_ADD is stored. */
async function ofRows(reader: SignerReader, rows: readonly GaslessKey[]): Promise<Signer[]> {
  const keys = await gaslessKeyTerms(reader, rows)
  return keys.map(({ row, addedAt, lastUsedAt, expiresAt, ...terms }) =>
    create(SignerSchema, {
      ...terms,
      source: SignerSource.OFFCHAIN,
      key: row.key,
      fid: BigInt(row.fid),
      addedAt: BigInt(addedAt),
      lastUsedAt: BigInt(lastUsedAt),
      expiresAt: BigInt(expiresAt),
      requestFid: BigInt(row.request_fid),
    }),
  )
}
