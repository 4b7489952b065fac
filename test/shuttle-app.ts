// A program like those that people build with @farcaster/shuttle, unmodified: it follows a hub into Redis, and
// from there into PostgreSQL. Started by test/shuttle.test.ts, with messages in both directions.

import { flushCompileCache } from 'node:module'
import {
  EventStreamConnection,
  EventStreamHubSubscriber,
  getDbClient,
  getHubClient,
  HubEventProcessor,
  HubEventStreamConsumer,
  MessageReconciliation,
  RedisClient,
} from '@farcaster/shuttle'
import { pino } from 'pino'

export type ShuttleSettings = {
  /** `host:port` of the hub's gRPC interface. */
  readonly hub: string
  readonly redis: string
  readonly database: string
  /** Events that are written to Redis at a time; 100 unless given. */
  readonly batch?: number
}
export type ShuttleRequest =
  | { readonly start: ShuttleSettings }
  | { readonly reconcile: readonly number[] }
  | { readonly ask: 'position' }
export type ShuttleAnswer =
  | { readonly started: true }
  | { readonly position: number }
  | { readonly missingInDatabase: string[]; readonly missingInHub: string[] }

// Tests kill it, so nothing is written when it ends.
flushCompileCache()

const SHARD = 'all'
/** What the library calls a result without an error. */
const HANDLED = { isErr: () => false, value: { skipped: false } } as never
const log = pino({ level: 'silent' })
const RETRY_MS = 50

let reconciliation: MessageReconciliation
let positionOf: () => Promise<number>

async function start({ hub: address, redis: url, database, batch }: ShuttleSettings) {
  const hub = getHubClient(address, { ssl: false })
  const redis = RedisClient.create(url)
  const db = getDbClient(database)
  reconciliation = new MessageReconciliation(hub.client, db as never, log as never)
  positionOf = () => redis.getLastProcessedEvent(`${address}:${SHARD}`)
  const subscriber = new EventStreamHubSubscriber(
    'test',
    hub,
    new EventStreamConnection(redis.client),
    redis,
    SHARD,
    log as never,
  )
  if (batch) Object.assign(subscriber, { eventBatchSize: batch })
  // It gives a hub five seconds to accept a connection, which a busy machine may not.
  const subscribe = (): Promise<void> =>
    subscriber
      .start()
      .catch(() => new Promise((resolve) => setTimeout(resolve, RETRY_MS)).then(subscribe))
  await subscribe()
  const consumer = new HubEventStreamConsumer(
    hub,
    new EventStreamConnection(RedisClient.create(url).client),
    SHARD,
    // Several at a time can undo a deletion that is handled first.
    { messageProcessingConcurrency: 1 },
    log as never,
  )
  const handler = { handleMessageMerge: async () => {} }
  // It cannot begin before there is anything in the stream.
  const consume = (): Promise<void> =>
    consumer
      .start(async (event) => {
        await HubEventProcessor.processHubEvent(db, event, handler)
        return HANDLED
      })
      .catch(() => new Promise((resolve) => setTimeout(resolve, RETRY_MS)).then(consume))
  void consume()
}

async function reconcile(fids: readonly number[]): Promise<ShuttleAnswer> {
  const [missingInDatabase, missingInHub]: [string[], string[]] = [[], []]
  for (const fid of fids) {
    await reconciliation.reconcileMessagesForFid(
      fid,
      async (message, isMissing) => {
        if (isMissing) missingInDatabase.push(Buffer.from(message.hash).toString('hex'))
      },
      async (message, isMissing) => {
        if (isMissing) missingInHub.push(Buffer.from(message.hash).toString('hex'))
      },
    )
  }
  return { missingInDatabase, missingInHub }
}

process.on('message', async (request: ShuttleRequest) => {
  if ('start' in request) {
    await start(request.start)
    process.send?.({ started: true } satisfies ShuttleAnswer)
  } else if ('reconcile' in request) process.send?.(await reconcile(request.reconcile))
  else process.send?.({ position: await positionOf() } satisfies ShuttleAnswer)
})
