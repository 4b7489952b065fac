// Hubble 1.19 and Snapchain 0.14 over HTTP: a Rookery answers, in their words, and refuses what they refuse.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fromHex, toBase64 } from '../src/kernel/protocol/codec/bytes.ts'

export type OtherHub = 'hubble' | 'snapchain'

// biome-ignore lint/suspicious/noExplicitAny: JSON as it comes
type Json = any

/** The answer in place of the hub's own. */
type Refusal = { readonly status: number; readonly body: string }

/** Stands before a Rookery, as another hub would. */
export class OtherHubFront {
  readonly requests: { method: string; path: string }[] = []
  /** How long each answer takes. */
  slowMs = 0
  readonly #server: Server

  constructor(kind: OtherHub, hub: () => string) {
    const { asked, said, refused, missing } = DIALECTS[kind]
    this.#server = createServer(async (request, answer) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://hub')
      this.requests.push({ method: request.method!, path: pathname })
      await delay(this.slowMs)
      const send = ({ status, body }: Refusal) =>
        void answer.writeHead(status, { 'content-type': 'application/json' }).end(body)
      const refusal = refused(pathname, searchParams)
      if (refusal) return send(refusal)
      asked(searchParams)
      const from = await fetch(`${hub()}${pathname}?${searchParams}`)
      const text = await from.text()
      if (from.status === 404) return send(missing)
      const body = JSON.stringify(said(pathname, JSON.parse(text)))
      send({ status: from.status, body })
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

type Dialect = {
  /** Changes the parameters to what they mean there. */
  readonly asked: (query: URLSearchParams) => void
  readonly said: (path: string, answer: Json) => Json
  readonly refused: (path: string, query: URLSearchParams) => Refusal | undefined
  /** What is said of a cast and a name that are not there. */
  readonly missing: Refusal
}

const DIALECTS: Readonly<Record<OtherHub, Dialect>> = {
  hubble: {
    asked(query) {
      // A word that is no number and no full name is as none.
      if (!/^(?:\d|REACTION_TYPE_)/.test(query.get('reaction_type') ?? '')) {
        query.delete('reaction_type')
      }
    },
    said: (_, answer) => withNetworks(answer, hubbleObject),
    refused: () => undefined,
    missing: {
      status: 400,
      body: '{"code":5,"details":"NotFound: not found","metadata":{"errcode":["not_found"]}}',
    },
  },
  snapchain: {
    asked(query) {
      if (query.get('pageToken') === NO_PLACE) query.delete('pageToken')
    },
    said(path, answer) {
      const said = withNetworks(answer, snapchainObject)
      if (path === '/v1/castsByParent' && said.nextPageToken === '') said.nextPageToken = NO_PLACE
      return said
    },
    refused(path, query) {
      const body = (why: string) => ({ status: 400, body: `Invalid query parameters: ${why}` })
      const type = query.get('reaction_type')
      if (path === '/v1/reactionsByFid' && type === null) {
        return body('missing field `reaction_type`')
      }
      if (type !== null && !['None', 'Like', 'Recast'].includes(type)) {
        return body(`unknown variant \`${type}\`, expected one of \`None\`, \`Like\`, \`Recast\``)
      }
      if (path === '/v1/fids' && !query.has('shard_id')) return body('missing field `shard_id`')
      if (!['true', 'false', null].includes(query.get('reverse'))) {
        return body('provided string was not `true` or `false`')
      }
      return undefined
    },
    missing: {
      status: 400,
      body: JSON.stringify({
        error: 'Failed to get cast',
        errorDetail: 'status: NotFound, message: "cast not found", details: []',
      }),
    },
  },
}

/** The end of a list over two shards: asked with it, the list begins anew. */
const NO_PLACE = Buffer.from('[null,null]').toString('base64')

/** The fields of an object as a hub writes them. */
type Writes = (object: Json) => Json

function withNetworks(value: Json, writes: Writes): Json {
  if (Array.isArray(value)) return value.map((one) => withNetworks(one, writes))
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string'
      ? value.replace(/^SOCIAL_NETWORK_/, 'FARCASTER_NETWORK_')
      : value
  }
  const entries = Object.entries(value).map(([name, one]) => [name, withNetworks(one, writes)])
  return writes(Object.fromEntries(entries))
}

function hubbleObject(object: Json): Json {
  const { payer, verificationAddAddressBody: claim, claimSignature } = object
  return {
    ...object,
    ...(payer && { payer: toBase64(fromHex(payer)!) }),
    ...(claim && { verificationAddEthAddressBody: claim }),
    ...(claimSignature && { ethSignature: claimSignature }),
  }
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  ID_REGISTER_EVENT_TYPE_REGISTER: 'Register',
  ID_REGISTER_EVENT_TYPE_TRANSFER: 'Transfer',
  ID_REGISTER_EVENT_TYPE_CHANGE_RECOVERY: 'ChangeRecovery',
}

function snapchainObject({ dataBytes: _, ...object }: Json): Json {
  const { castAddBody: cast, linkBody: link, blockTimestamp, eventType } = object
  return {
    ...object,
    ...(eventType && { eventType: SHORT_NAMES[eventType] ?? eventType }),
    ...(cast && { castAddBody: { parentCastId: null, parentUrl: null, ...cast } }),
    ...(link && { linkBody: { displayTimestamp: null, ...link } }),
    ...(blockTimestamp && { tier_purchase_event_body: null }),
  }
}
