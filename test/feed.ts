// Reading a hub's events as clients do, and what they say is stored.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'

// biome-ignore lint/suspicious/noExplicitAny: events are read as JSON
export type FeedEvent = { readonly id: number; readonly type: string } & Record<string, any>

/**
 * Reads on from the last id it saw, for as long as `hasMore` says that more may come. When no more may,
 * a hub that is gone ends it too: a test that failed shall not wait for one.
 */
export async function follow(
  hubUrl: () => string,
  hasMore: () => boolean,
  pauseMs = 1,
  /** Pages at the end that may fail before it gives up. */
  patience = 0,
): Promise<FeedEvent[]> {
  const events: FeedEvent[] = []
  let failures = 0
  for (let next = 0; ; ) {
    const last = !hasMore()
    const page = await readPage(hubUrl(), next)
    if (page) {
      assert.ok(page.nextPageEventId >= next, 'the position only grows')
      next = page.nextPageEventId
      events.push(...page.events)
    }
    const isOver = page ? page.events.length === 0 : failures++ >= patience
    if (last && isOver) return events
    if (page) failures = 0
    if (!page || page.events.length === 0) await sleep(pauseMs)
  }
}

/** Nothing while the hub does not answer. */
async function readPage(
  hubUrl: string,
  from: number,
): Promise<{ nextPageEventId: number; events: FeedEvent[] } | undefined> {
  try {
    const response = await fetch(`${hubUrl}/v1/events?from_event_id=${from}`)
    // 502 and 504 are those of a proxy.
    if (response.status >= 502 && response.status <= 504) return undefined
    const text = await response.text()
    assert.equal(response.status, 200, `from ${from}: ${text}`)
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    return undefined
  }
}

export function checkIdsGrow(events: readonly FeedEvent[]): void {
  for (let i = 1; i < events.length; i++) {
    assert.ok(events[i]!.id > events[i - 1]!.id, `${events[i]!.id} after ${events[i - 1]!.id}`)
  }
}

type JsonMessage = FeedEvent['mergeMessageBody']

/** What an empty store holds after these events: hashes of messages, holders of names, custody addresses. */
export function replay(events: readonly FeedEvent[]) {
  const messages = new Map<string, JsonMessage>()
  const names = new Map<string, number>()
  const custodies = new Map<number, string>()
  const take = (message: JsonMessage) => {
    assert.ok(messages.delete(message.hash), `${message.hash} goes without having come`)
  }
  for (const event of events) {
    switch (event.type) {
      case 'HUB_EVENT_TYPE_MERGE_MESSAGE': {
        const { message, deletedMessages } = event.mergeMessageBody
        deletedMessages.forEach(take)
        if (message.data.linkCompactStateBody) compact(messages, message)
        messages.set(message.hash, message)
        break
      }
      case 'HUB_EVENT_TYPE_PRUNE_MESSAGE':
        take(event.pruneMessageBody.message)
        break
      case 'HUB_EVENT_TYPE_REVOKE_MESSAGE':
        take(event.revokeMessageBody.message)
        break
      case 'HUB_EVENT_TYPE_MERGE_USERNAME_PROOF': {
        const body = event.mergeUsernameProofBody
        if (body.deletedUsernameProofMessage) take(body.deletedUsernameProofMessage)
        if (body.usernameProofMessage) {
          messages.set(body.usernameProofMessage.hash, body.usernameProofMessage)
        } else if (body.usernameProof) names.set(body.usernameProof.name, body.usernameProof.fid)
        break
      }
      case 'HUB_EVENT_TYPE_MERGE_ON_CHAIN_EVENT': {
        const { fid, idRegisterEventBody } = event.mergeOnChainEventBody.onChainEvent
        if (idRegisterEventBody) custodies.set(fid, idRegisterEventBody.to)
        break
      }
      default:
        assert.fail(`an event of type ${event.type}`)
    }
  }
  return { messages, names, custodies }
}

/** A compact state's event does not list what it takes away, the state before it and links: they follow from it. */
function compact(messages: Map<string, JsonMessage>, { data }: JsonMessage): void {
  const { type, targetFids } = data.linkCompactStateBody
  for (const [hash, { data: other }] of messages) {
    const link = other.linkBody
    if (other.linkCompactStateBody?.type === type && other.fid === data.fid) messages.delete(hash)
    if (!link || other.fid !== data.fid || link.type !== type) continue
    if (other.timestamp > data.timestamp) continue
    const isAdd = other.type === 'MESSAGE_TYPE_LINK_ADD'
    if (!isAdd || !targetFids.includes(link.targetFid)) messages.delete(hash)
  }
}

/** The events account for every row of the store. */
export async function checkReplay(storage: Storage, events: readonly FeedEvent[]): Promise<void> {
  checkIdsGrow(events)
  const { messages, names, custodies } = replay(events)
  const stored: string[] = []
  for (let afterId = 0; ; ) {
    const rows = await storage.messages.scan(afterId, 1_000)
    if (rows.length === 0) break
    stored.push(...rows.map(({ hash }) => toHex(hash)))
    afterId = rows.at(-1)!.id
  }
  assert.deepEqual([...messages.keys()].sort(), stored.sort())
  for (const [name, fid] of names) {
    const proof = await storage.nameProofs.byName(Buffer.from(name))
    assert.equal(proof?.fid, fid, name)
  }
  assert.equal(await storage.nameProofs.count(), names.size)
  for (const [fid, address] of custodies) {
    const custody = await storage.accounts.custody(fid)
    assert.equal(custody && toHex(custody.address), address)
  }
  assert.equal(await storage.accounts.count(), custodies.size)
}
