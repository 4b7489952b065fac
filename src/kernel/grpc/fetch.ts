import { create, toBinary } from '@bufbuild/protobuf'
import { messageSize, messagesResponse } from '../hub/reads/protobuf-presenter.ts'
import { type HubReads, tokenAfter } from '../hub/reads/reads.ts'
import { bytesField } from '../protocol/codec/wire-write.ts'
import { MESSAGE_SETS } from '../protocol/slots.ts'
import {
  type FidTimestampRequest,
  StreamErrorSchema,
  type StreamFetchRequest,
  StreamFetchRequestSchema,
} from '../protocol/wire/rpc_pb.js'
import type { Envelope } from '../storage/messages/envelopes.ts'
import { MAX_PAGE_SIZE, type Page } from '../storage/reads/page.ts'
import { answering } from './duplex.ts'
import { allMessages, timesOf } from './hub-method.ts'
import type { DuplexHandler, StreamCall } from './method.ts'
import { MAX_PAGE_BYTES, readInBatches } from './pages.ts'
import { decodeRequest, readFid, readPage } from './requests.ts'
import { errCodeOf, statusOf } from './status.ts'

const RESPONSE = { idempotencyKey: 1, messages: 2, error: 3 } as const

const KINDS = {
  castMessagesByFid: MESSAGE_SETS.casts,
  reactionMessagesByFid: MESSAGE_SETS.reactions,
  verificationMessagesByFid: MESSAGE_SETS.verifications,
  userDataMessagesByFid: MESSAGE_SETS.userData,
  linkMessagesByFid: MESSAGE_SETS.links,
} as const

/**
 * StreamFetch: answers GetAll…MessagesByFid requests of one stream in their order. A request that fails gets
 * an error as its answer and the stream stays open, also while it is idle.
 */
export function streamFetch(reads: HubReads, stopping: AbortSignal): DuplexHandler {
  return answering(stopping, (bytes, call) =>
    answerTo(decodeRequest(StreamFetchRequestSchema, bytes), reads, call),
  )
}

async function answerTo(
  { idempotencyKey, request }: StreamFetchRequest,
  reads: HubReads,
  call: StreamCall,
): Promise<Uint8Array | undefined> {
  if (request.case === undefined) return undefined
  const key = bytesField(RESPONSE.idempotencyKey, Buffer.from(idempotencyKey))
  try {
    const set = KINDS[request.case]
    const read = allMessages(reads, request.value, set)
    const page = await readInBatches(readPage(request.value), read, messageSize, call)
    const messages =
      set === MESSAGE_SETS.links ? await withCompactStates(page, request.value, reads, call) : page
    return Buffer.concat([key, bytesField(RESPONSE.messages, messagesResponse(messages))])
  } catch (error) {
    const { rejection, details } = statusOf(error)
    const fault = { errCode: errCodeOf(rejection), message: details, request: 'fetch' }
    const encoded = toBinary(StreamErrorSchema, create(StreamErrorSchema, fault))
    return Buffer.concat([key, bytesField(RESPONSE.error, encoded)])
  }
}

/**
 * The last page of links ends with the fid's compact link states: clients expect them in the same
 * list. When the two exceed a page together, the states are the page after the last link.
 */
async function withCompactStates(
  page: Page<Envelope>,
  request: FidTimestampRequest,
  reads: HubReads,
  call: StreamCall,
): Promise<Page<Envelope>> {
  if (page.next) return page
  const set = MESSAGE_SETS.linkCompactState
  const states = await readInBatches(
    { size: MAX_PAGE_SIZE, token: undefined, reverse: false },
    (batch) => reads.messagesByFid(readFid(request.fid), set, {}, batch),
    messageSize,
    call,
  )
  const items = [...page.items, ...states.items]
  const last = page.items.at(-1)
  if (!last || bytesOf(items) <= MAX_PAGE_BYTES) return { items, next: undefined }
  const range = { ...timesOf(request), reverse: request.reverse }
  return { items: page.items, next: tokenAfter(last, MESSAGE_SETS.links, range) }
}

const bytesOf = (items: readonly Envelope[]) =>
  items.reduce((sum, item) => sum + messageSize(item), 0)
