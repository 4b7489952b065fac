import { create, toBinary } from '@bufbuild/protobuf'
import { decideNameProof } from '../protocol/merge.ts'
import { HubEventSchema, HubEventType } from '../protocol/wire/hub_event_pb.js'
import { UserNameType } from '../protocol/wire/message_pb.js'
import { EventLog } from '../storage/messages/event-log.ts'
import type { Writer } from '../storage/storage.ts'
import type { StoredNameProof } from '../storage/tables/name-proofs.ts'
import type { ToldName } from '../storage/upstream.ts'
import type { Loss } from './kinds/effects.ts'
import { revokeLostClaims } from './removal.ts'

/** A transfer of a registry name (registration, move or release) as the registry published it. */
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
 * Source of the registry's transfers. Its transfers are trusted: a remote feed has checked the registry's
 * signature of each of them.
 */
export type NameFeed = {
  /** Transfers with a greater id, in id order, at most `limit`; empty when there are none yet. */
  transfersAfter(id: number, limit: number): Promise<readonly NameTransfer[]>
  /** Name of the stored cursor. Ids of different registries mean different transfers. */
  readonly cursor?: string
}

/** Name of the cursor of the local registry. A cursor holds the id of the last merged transfer. */
export const NAME_FEED_CURSOR = 'name-feed'

/** Transfers that were read from a feed after the stored position of its cursor. */
export type ReadTransfers = {
  readonly cursor: string
  /** In id order, at least one. */
  readonly transfers: readonly NameTransfer[]
  /** Unix ms. */
  readonly nowMs: number
}

/**
 * Merges transfers and advances the cursor, in a transaction under the hub's lock. Idempotent: another
 * process may have merged some of them, and the cursor never goes back.
 */
export async function followTransfers(
  tx: Writer,
  { cursor, transfers, nowMs }: ReadTransfers,
): Promise<void> {
  const log = new EventLog(tx, nowMs)
  await mergeNameTransfers(tx, log, transfers)
  const position = Number((await tx.cursors.get(cursor)) ?? 0)
  await tx.cursors.put(cursor, String(Math.max(position, transfers.at(-1)!.id)))
  await log.flush()
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
      // A release may arrive before the transfer that it ends. It is stored because the older transfer must lose to it.
      current.set(name, proof)
      changed.add(name)
      continue
    }
    if (decideNameProof(existing, proof).outcome === 'refused') continue
    current.set(name, proof)
    changed.add(name)
    // A released name concerns the fid that held it.
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
  // A name that returned to its former holder within these transfers is not lost.
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

/** The wire form of a name that another hub says somebody has. */
export const wireToldName = (row: ToldName) => ({
  ...wireProof(row),
  type: row.type as UserNameType,
})

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
