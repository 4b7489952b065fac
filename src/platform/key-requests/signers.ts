import { removeTypedData } from '../../accounts/signatures/typed-data.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../../protocol/crypto/key-request-metadata.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { OnChainEvent } from '../../protocol/wire/onchain_event_pb.js'
import type { PlatformContext } from '../context.ts'
import { unknownFid } from '../unknown.ts'
import { APPROVAL_SECONDS } from './limits.ts'
import { readPeople } from './people.ts'
import { inWords } from './refusals.ts'

// The keys of an account and the apps that requested them.

const MAX_FID = 2 ** 32 - 1

/** Finds an account by its fid or its custody address. */
export async function getAccount(
  { accounts }: PlatformContext,
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

/** The active keys of a fid. `next` is the last key of the page, if there are more. */
export async function listSigners(
  context: PlatformContext,
  fid: number,
  page: { size: number; after: Uint8Array | undefined },
) {
  const keys = await context.accounts.activeKeys(fid, { size: page.size, token: page.after })
  const apps = keys.items.map(appOf)
  const people = await readPeople(context.storage, [
    fid,
    ...apps.filter((app) => app !== undefined),
  ])
  return {
    user: people.get(fid)!,
    signers: keys.items.map((event, i) => {
      const app = apps[i]
      return {
        key: toHex(keyOf(event)),
        addedAt: Number(event.blockTimestamp),
        ...(app !== undefined && { app: people.get(app)! }),
      }
    }),
    next: keys.next,
  }
}

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
export async function removalTypedData(context: PlatformContext, fid: number, key: Uint8Array) {
  const { address: owner } = await getAccount(context, { fid })
  await checkActive(context, fid, key)
  const nonce = await context.keyCalls.nonce('keyRegistry', owner)
  const deadline = BigInt(context.now() + APPROVAL_SECONDS)
  return removeTypedData(context.domains, { owner, key, nonce, deadline })
}

async function checkActive({ accounts }: PlatformContext, fid: number, key: Uint8Array) {
  if (await accounts.isActiveKey(fid, key)) return
  throw new Rejection('not_found', `FID ${fid} has no active key ${toHex(key)}`, {
    field: 'key',
    reason: 'signer_already_removed',
  })
}

/** Submits the signed removal of a key. */
export async function removeSigner(
  context: PlatformContext,
  removal: { fid: number; key: Uint8Array; deadline: number; signature: Uint8Array },
) {
  const { fid, key, deadline, signature } = removal
  const { address: owner } = await getAccount(context, { fid })
  await checkActive(context, fid, key)
  const call = { owner, key, deadline: BigInt(deadline), signature }
  return context.keyCalls.removeFor(call).catch((error) => {
    throw error instanceof Rejection ? inWords(error) : error
  })
}
