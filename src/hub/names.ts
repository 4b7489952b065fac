import { create, toBinary } from '@bufbuild/protobuf'
import { decideNameProof } from '../protocol/merge.ts'
import { HubEventSchema, HubEventType } from '../protocol/wire/hub_event_pb.js'
import { UserNameType } from '../protocol/wire/message_pb.js'
import { sharedRuns } from '../shared-runs.ts'
import { EventLog } from '../storage/event-log.ts'
import type { StoredNameProof } from '../storage/name-proofs.ts'
import type { Reader, Storage, Writer } from '../storage/storage.ts'
import { type Loss, revokeLostClaims } from './removal.ts'

/** One change of hands of a registry name, as the registry published it. */
export type NameTransfer = {
  /** Grows with every transfer. */
  readonly id: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly username: string
  /** 20 bytes: the custody address the registry accepted it from. */
  readonly owner: Uint8Array
  readonly from: number
  /** 0: the name was released. */
  readonly to: number
  readonly serverSignature: Uint8Array
}

/**
 * Where the hub learns who holds which registry name. A feed vouches for what it gives: a remote one
 * has checked the registry's signature of every transfer.
 */
export type NameFeed = {
  /** Transfers with a greater id, in id order, at most `limit`; empty when there are none yet. */
  transfersAfter(id: number, limit: number): Promise<readonly NameTransfer[]>
  /** Under which name its position is kept; ids of different registries mean different transfers. */
  readonly cursor?: string
}

/** How far the feed was followed: the id of the last transfer that is stored. */
export const NAME_FEED_CURSOR = 'name-feed'
const TRANSFERS_PER_TRANSACTION = 500

export type NameFollower = {
  /** Merges every transfer that the feed has now; callers at the same time share a run. */
  catchUp(): Promise<void>
}

/** Follows a feed from where it was left; any number of processes may do so on one store. */
export function followNames(storage: Storage, feed: NameFeed, now: () => number): NameFollower {
  const { cursor = NAME_FEED_CURSOR } = feed
  const positionIn = async ({ cursors }: Reader | Writer) =>
    Number((await cursors.get(cursor)) ?? 0)
  const catchUp = async () => {
    for (;;) {
      const position = await positionIn(storage)
      const transfers = await feed.transfersAfter(position, TRANSFERS_PER_TRANSACTION)
      if (transfers.length === 0) return
      if (transfers.at(-1)!.id <= position) throw new Error('the name feed repeats itself')
      await storage.write('hub', async (tx) => {
        // Another process may have been here first; what it merged is merged again without effect.
        const log = new EventLog(tx, now())
        await mergeNameTransfers(tx, log, transfers)
        const newest = Math.max(await positionIn(tx), transfers.at(-1)!.id)
        await tx.cursors.put(cursor, String(newest))
        await log.flush()
      })
    }
  }
  return { catchUp: sharedRuns(catchUp) }
}

/**
 * Turns transfers into the hub's name proofs, with their events, and revokes the usernames of fids
 * that lost the name. Transfers that are old or known already change nothing.
 */
export async function mergeNameTransfers(
  tx: Writer,
  log: EventLog,
  transfers: readonly NameTransfer[],
): Promise<void> {
  const proofs = transfers.map(proofOf)
  const stored = await tx.nameProofs.byNames(distinctNames(proofs))
  const current = new Map(stored.map((proof) => [nameOf(proof), proof]))
  const changed = new Set<string>()
  const losses: Loss[] = []
  for (const proof of proofs) {
    const name = nameOf(proof)
    const existing = current.get(name)
    if (!existing && proof.fid === 0) {
      // A release that arrives before what it releases is remembered: the older news must not win.
      current.set(name, proof)
      changed.add(name)
      continue
    }
    if (decideNameProof(existing, proof).outcome === 'refused') continue
    current.set(name, proof)
    changed.add(name)
    const id = log.nextId()
    log.append({
      id,
      type: HubEventType.MERGE_USERNAME_PROOF,
      body: proofEvent(proof, existing),
    })
    if (existing && existing.fid !== 0 && existing.fid !== proof.fid) {
      losses.push({ fid: existing.fid, name })
    }
  }
  await tx.nameProofs.put([...changed].map((name) => current.get(name)!))
  // A name that came back to its former holder within these transfers is not lost.
  await revokeLostClaims(
    tx,
    log,
    losses.filter((loss) => 'name' in loss && current.get(loss.name)?.fid !== loss.fid),
  )
}

function proofOf(transfer: NameTransfer): StoredNameProof {
  return {
    name: Buffer.from(transfer.username),
    fid: transfer.to,
    owner: transfer.owner,
    timestamp: transfer.timestamp,
    signature: transfer.serverSignature,
  }
}

/** The wire form of a registry proof. */
export function wireProof(proof: StoredNameProof) {
  return {
    timestamp: BigInt(proof.timestamp),
    name: proof.name,
    owner: proof.owner,
    signature: proof.signature,
    fid: BigInt(proof.fid),
    type: UserNameType.USERNAME_TYPE_FNAME,
  }
}

function proofEvent(proof: StoredNameProof, replaced: StoredNameProof | undefined): Uint8Array {
  const event = create(HubEventSchema, {
    type: HubEventType.MERGE_USERNAME_PROOF,
    body: {
      case: 'mergeUsernameProofBody',
      value: {
        usernameProof: wireProof(proof),
        ...(replaced && replaced.fid !== 0 ? { deletedUsernameProof: wireProof(replaced) } : {}),
      },
    },
  })
  return toBinary(HubEventSchema, event)
}

const nameOf = (proof: StoredNameProof) => Buffer.from(proof.name).toString()

function distinctNames(proofs: readonly StoredNameProof[]): Uint8Array[] {
  return [...new Map(proofs.map((proof) => [nameOf(proof), proof.name])).values()]
}
