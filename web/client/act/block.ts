import { fetchJson, Refusal } from '../../shared/request.ts'
import type { BrowserKey } from './key-store.ts'
import { type Body, MessageType, sendMessage } from './message.ts'
import { blockHere } from './platform.ts'

// A block is a link that other hubs and clients know. What the key may not sign is a block on this server only.

export async function block(key: BrowserKey, fid: number, isOn: boolean): Promise<void> {
  const body: Body = {
    case: 'linkBody',
    value: { type: 'block', target: { case: 'targetFid', value: BigInt(fid) } },
  }
  if (!isOn) {
    if (await isLinked(key.fid, fid)) await sendMessage(key, MessageType.LINK_REMOVE, body)
    return blockHere(key, fid, false)
  }
  try {
    await sendMessage(key, MessageType.LINK_ADD, body)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await blockHere(key, fid, true)
  }
}

async function isLinked(fid: number, target_fid: number): Promise<boolean> {
  try {
    await fetchJson('/hub/v1/linkById', { query: { fid, target_fid, link_type: 'block' } })
    return true
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return false
    throw error
  }
}
