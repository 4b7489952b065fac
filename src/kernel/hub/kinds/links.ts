import { linkBlockOf } from '../../protocol/block-links.ts'
import { decideMerge } from '../../protocol/merge.ts'
import { compactSlotOf, compactSlotOfLink, targetFidOfSlot } from '../../protocol/slots.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Findings } from '../jobs/findings.ts'
import { bytesKey } from '../submit/candidate.ts'
import { BLOCKS } from './casts.ts'
import { COMPACT_STATES, compactStateOf } from './compact-states.ts'
import type { Effects, Readable } from './effects.ts'

/** A compact state decides about older links, and links of type `block` are blocks. */
export const linkEffects: Effects = {
  needs: ({ row }) => ({ slots: [compactSlotOfLink(row.slot)] }),
  part: COMPACT_STATES,
  decide(row, holder, { state, besideCompactStates }) {
    const compact = besideCompactStates
      ? undefined
      : state.part(COMPACT_STATES).ofLink(row.slot, state)
    return decideMerge(contenderOf(row), holder && contenderOf(holder), compact)
  },
  stored(row, state) {
    const pair = linkBlockOf(row)
    if (pair) state.findPart(BLOCKS)?.add(pair)
  },
  unstored(row, state) {
    const pair = linkBlockOf(row)
    if (pair) state.findPart(BLOCKS)?.remove(pair)
  },
  verify: checkCompacted,
}

type Link = { readonly type: number; timestamp: number; hash: Uint8Array; slot: Uint8Array }

const contenderOf = ({ type, timestamp, hash, slot }: Link) => ({
  type,
  timestamp,
  hash,
  targetFid: targetFidOfSlot(slot),
})

/** No link is stored that its author's compact state leaves out. */
async function checkCompacted(
  storage: Storage,
  rows: readonly Readable[],
  found: Findings,
): Promise<void> {
  // Another hub may have such links: see docs/mirror.md.
  if (await storage.schema?.upstream?.isKnown(storage)) return
  const links = rows.flatMap(({ row, name, message: { data } }) => {
    if (data.body.case !== 'linkBody') return []
    const { type, target } = data.body.value
    return [
      { row, name, slot: compactSlotOf(row.fid, type), targetFid: Number(target.value ?? 0n) },
    ]
  })
  const states = await storage.messages.bySlots(links.map(({ slot }) => slot))
  const bySlot = new Map(states.map((one) => [bytesKey(one.slot), one]))
  for (const { row, name, slot, targetFid } of links) {
    const state = bySlot.get(bytesKey(slot))
    const compact = state && compactStateOf(fromStored(state).data)
    if (decideMerge({ ...row, targetFid }, undefined, compact).outcome === 'refused') {
      found.add('compact state', `${name} should have gone with the compact state`)
    }
  }
}
