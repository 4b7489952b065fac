import { equalBytes, fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../../kernel/protocol/crypto/key-request-metadata.ts'
import type { OnChainEvent } from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { StoredKeyRequest } from '../key-requests/port.ts'
import { keyRequestRows } from '../key-requests/port.ts'
import { type AppSigner, appSignerRows } from './tables/app-signers.ts'

// Updates the signers of apps in the transaction that changes an account's keys: the key of an approved signer is
// active, and the secret of a removed key is deleted.

/** A key of a fid as the events of a transaction left it. */
type KeyState = {
  readonly fid: number
  readonly key: Uint8Array
  readonly isActive: boolean
  /** Of the event that added the key, if it was among the events. */
  readonly metadata: Uint8Array | undefined
}

/** To be called after on-chain events were merged. `now` is in Unix seconds. */
export async function followAppSigners(
  tx: Writer,
  events: readonly OnChainEvent[],
  now: number,
): Promise<void> {
  await change(tx, events, (signer, state, request) => {
    if (signer.fid === state.fid && !state.isActive && signer.status === 'approved') {
      return { ...signer, status: 'revoked', secret: null, changed_at: now }
    }
    const isOpen = signer.status === 'generated' || signer.status === 'pending_approval'
    if (!isOpen || !state.isActive || !isAskedFor(signer, state, request)) return undefined
    return { ...signer, status: 'approved', fid: state.fid, changed_at: now }
  })
}

/** To be called after a reorg took on-chain events back. */
export async function reopenAppSigners(
  tx: Writer,
  events: readonly OnChainEvent[],
  now: number,
): Promise<void> {
  await change(tx, events, (signer, state) => {
    if (signer.fid !== state.fid || state.isActive || signer.status !== 'approved') return undefined
    const status = signer.request === null ? 'generated' : 'pending_approval'
    return { ...signer, status, fid: null, changed_at: now }
  })
}

async function change(
  tx: Writer,
  events: readonly OnChainEvent[],
  decide: (
    signer: AppSigner,
    state: KeyState,
    request: StoredKeyRequest | undefined,
  ) => AppSigner | undefined,
): Promise<void> {
  const touched = new Map(
    events.flatMap(({ fid, body }) => {
      if (body.case !== 'signerEventBody') return []
      const { key, metadata } = body.value
      return [[`${fid}:${textOf(key)}`, { fid: Number(fid), key, metadata }] as const]
    }),
  )
  if (touched.size === 0) return
  const keys = [...touched.values()]
  const signers = await tx.of(appSignerRows).byKeys(distinct(keys.map(({ key }) => key)))
  if (signers.length === 0) return
  const tokens = signers.flatMap(({ request }) => (request === null ? [] : [fromHex(request)!]))
  const [active, requests] = await Promise.all([
    tx.accounts.signers(keys.map(({ fid, key }) => ({ fid, key }))),
    tx.of(keyRequestRows).byTokens(distinct(tokens)),
  ])
  const isActive = new Set(
    active.filter((one) => one.active === 1).map(({ fid, key }) => `${fid}:${textOf(key)}`),
  )
  const changed = new Map<string, AppSigner>()
  for (const [name, { fid, key, metadata }] of touched) {
    const state = { fid, key, isActive: isActive.has(name), metadata }
    for (const before of signers) {
      const signer = changed.get(before.uuid) ?? before
      if (!equalBytes(signer.public_key, key)) continue
      const request = requests.find(({ token }) => textOf(token) === textOfToken(signer.request))
      const after = decide(signer, state, request)
      if (after) changed.set(after.uuid, after)
    }
  }
  await tx.of(appSignerRows).put([...changed.values()])
}

/**
 * Whether the account added the key because this app asked for it. Keys are public: without this rule anyone
 * could add the key of another user's signer to their own account, and the app would write as that account.
 */
function isAskedFor(
  signer: AppSigner,
  { metadata }: KeyState,
  request: StoredKeyRequest | undefined,
): boolean {
  // Only the app knows the key of a signer that was not registered.
  if (signer.request === null) return true
  const decoded = metadata && decodeSignedKeyRequestMetadata(metadata)
  return (
    decoded !== undefined &&
    request !== undefined &&
    decoded.requestFid === BigInt(request.request_fid) &&
    equalBytes(decoded.signature, request.signature)
  )
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const textOfToken = (token: string | null) => token?.replace(/^0x/, '')
const distinct = (list: readonly Uint8Array[]) => [
  ...new Map(list.map((bytes) => [textOf(bytes), bytes])).values(),
]
