// What the tests of the hub's HTTP interface share: worlds by engine, and how they read and judge answers.

import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { create } from '@bufbuild/protobuf'
import type { Hub } from '../src/kernel/hub/hub.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { MESSAGE_FORMS, type SignedMessage } from '../src/kernel/protocol/message.ts'
import {
  type OnChainEvent,
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import {
  type Answer,
  createWorld,
  ENGINES,
  type EngineName,
  enginesOf,
  WORLD_START_MS,
  type World,
} from './world.ts'

/** Stores a message, and resolves to the id of the event that reports it. */
export async function stored(hub: Pick<Hub, 'submit'>, message: SignedMessage): Promise<number> {
  const [outcome] = await submitMessages(hub, [message])
  if (typeof outcome !== 'number') throw outcome
  return outcome
}

type WorldOptions = Parameters<typeof createWorld>[0]

type Define = (world: () => World, engine: EngineName) => void
type OptionsOf = (engine: EngineName) => WorldOptions

/** Tests in a fresh world on the engine whose turn it is; a test takes fids of its own. */
export const onEngines = (what: string, define: Define, optionsOf?: OptionsOf): void =>
  onEach(enginesOf(what), what, define, optionsOf)

/** The same on both engines: of what engines may take differently. */
export const onBothEngines = (what: string, define: Define, optionsOf?: OptionsOf): void =>
  onEach(ENGINES, what, define, optionsOf)

function onEach(
  engines: readonly EngineName[],
  what: string,
  define: Define,
  optionsOf: OptionsOf = () => ({}),
): void {
  for (const engine of engines) {
    const its = { ...optionsOf(engine), engine }
    inWorld(`${what}, on ${engine}`, (world) => define(world, engine), its)
  }
}

/** Tests in one world on the embedded store, where the engine makes no difference. */
export function inWorld(
  what: string,
  define: (world: () => World) => void,
  options: WorldOptions = {},
): void {
  describe(what, () => {
    let world: World
    before(async () => {
      world = await createWorld(options)
    })
    after(() => world.close())
    define(() => world)
  })
}

/** Fails unless the answer is a 200; gives its body. */
export function accepted(answer: Answer): Answer['body'] {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export type Refusal = { readonly status?: number; readonly code: string; readonly says?: RegExp }

/** Fails unless the answer is the deployed error object with this code, status and wording. */
export function refused(answer: Answer, { status = 400, code, says }: Refusal): Answer['body'] {
  const { body } = answer
  assert.deepEqual([answer.status, body.errCode], [status, code], JSON.stringify(body))
  assert.equal(body.presentable, false)
  assert.equal(body.name, 'HubError')
  assert.equal(typeof body.code, 'number')
  assert.deepEqual(body.metadata, { errcode: [code] })
  for (const key of ['details', 'error', 'errorDetail', 'message', 'requestId']) {
    assert.ok(typeof body[key] === 'string' && body[key] !== '', `${key} is a text`)
  }
  if (says) assert.match(body.details, says)
  return body
}

export type Params = Readonly<Record<string, string | number | boolean | undefined>>

export function pathOf(path: string, params: Params): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) query.set(name, String(value))
  }
  return `${path}?${query}`
}

/** Reads a list to its end, page by page; fails when it does not end where it should. */
export async function readPages(
  world: World,
  path: string,
  params: Params,
  key = 'messages',
): Promise<unknown[][]> {
  const pages: unknown[][] = []
  for (let pageToken: string | undefined; pageToken !== ''; ) {
    const body = accepted(await world.get(pathOf(path, { ...params, pageToken })))
    assert.equal(typeof body.nextPageToken, 'string')
    pages.push(body[key])
    assert.ok(pages.length < 1_000, `${path} does not end`)
    pageToken = body.nextPageToken
  }
  return pages
}

/** The hashes of a list read in one go. */
export async function hashesOf(world: World, path: string, params: Params): Promise<string[]> {
  const body = accepted(await world.get(pathOf(path, params)))
  assert.equal(body.nextPageToken, '')
  return body.messages.map((message: { hash: string }) => message.hash)
}

export const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`

/** A message as it is sent by builders that fill only `data`, only `data_bytes`, or both. */
export function inForm(message: SignedMessage, form: keyof typeof MESSAGE_FORMS): SignedMessage {
  return { ...message, form: MESSAGE_FORMS[form] }
}

export function bytes(length: number, fill: number): Uint8Array {
  return new Uint8Array(length).fill(fill)
}

/** The id that the next event will be greater than. */
export async function newestEventId(world: World): Promise<number> {
  return world.app.storage.events.newestId()
}

/** Type and body of every event after an id. */
export async function eventsAfter(
  world: World,
  id: number,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
): Promise<{ type: string; [body: string]: any }[]> {
  const body = accepted(await world.get(pathOf('/v1/events', { from_event_id: id + 1 })))
  return body.events.map((event: { type: string }) => ({
    ...event,
    type: event.type.replace('HUB_EVENT_TYPE_', ''),
  }))
}

/** Posts bytes to the hub as they are. */
export async function post(world: World, path: string, body: Uint8Array): Promise<Answer> {
  const response = await fetch(world.app.urls.hub + path, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: body as Uint8Array<ArrayBuffer>,
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** The on-chain event that adds or removes a key of a fid. */
export function keyEvent(
  { fid, key }: { fid: number; key: Uint8Array },
  eventType: SignerEventType,
  at: { blockNumber: number; logIndex?: number },
  keyType = 1,
): OnChainEvent {
  return create(OnChainEventSchema, {
    type: OnChainEventType.EVENT_TYPE_SIGNER,
    chainId: 10,
    blockHash: bytes(32, at.blockNumber),
    blockTimestamp: BigInt(WORLD_START_MS / 1000 + at.blockNumber),
    transactionHash: bytes(32, at.blockNumber),
    fid: BigInt(fid),
    ...at,
    body: {
      case: 'signerEventBody',
      value: { key, keyType, eventType, metadataType: 1 },
    },
  })
}

/** Makes a key of a fid one that signs no more. */
export async function removeKey(
  world: World,
  signer: { fid: number; key: Uint8Array },
): Promise<void> {
  const event = keyEvent(signer, SignerEventType.REMOVE, { blockNumber: 100 })
  await world.app.ledger!.importEvents([event])
}
