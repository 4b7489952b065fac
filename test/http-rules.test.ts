// Rules of requests that hold for every documented operation of every interface, worked out from the OpenAPI documents.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { castAdd, linkAdd, reactionAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { SignerEventType } from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { channelClient } from './channels-support.ts'
import { type Operation, operationsOf, type Parameter, type Schema } from './defences/operations.ts'
import { accepted, bytes, keyEvent, onEngines } from './hub-support.ts'
import { PATIENCE_MS } from './patience.ts'
import type { TestAccount, World } from './world.ts'

type Query = Readonly<Record<string, string>>
type Read = { readonly status: number; readonly body: Schema }
/** A list and the parameters that choose it. */
type List = readonly [name: string, path: string, query: Query]

const FIDS = [1, 2, 3]
const AT_ONCE = 8
/** For how long events are waited for that are stored already. */

onEngines(
  'requests to every operation of every interface',
  (world) => {
    let operations: Operation[]
    let reads: Operation[]
    /** Of fid 1: calls that need a token ask for it before they judge parameters. */
    let token: string

    before(async () => {
      operations = await operationsOf(world().app)
      reads = operations.filter(({ method, isEndless }) => method === 'GET' && !isEndless)
      assert.ok(reads.length > 120, `${reads.length} operations read`)
      token = await fill(world())
    })

    test('no operation but a GET and an upload of bytes has query parameters, so that the tests below look at all others', () => {
      const others = operations.filter(
        ({ method, parameters, takesOctets }) =>
          method !== 'GET' && !takesOctets && parameters.some(isInQuery),
      )
      assert.deepEqual(
        others.map(({ path }) => path),
        [],
      )
    })

    test('every parameter name with one letter percent-encoded is the same parameter', async () => {
      const parameters = operations.flatMap((operation) =>
        operation.parameters.filter(isInQuery).map((parameter) => ({ operation, parameter })),
      )
      assert.ok(parameters.filter(({ operation }) => !operation.isEndless).length > 300)
      await inParts(parameters, async ({ operation, parameter }) => {
        const { name } = parameter
        for (const value of [exampleOf(parameter), REFUSED_BY_MOST]) {
          if (operation.interface === 'web' && value !== REFUSED_BY_MOST) continue
          const query = { ...requiredOf(operation), [name]: value }
          const plain = await read(operation, textOf(query))
          const again = await read(operation, textOf(query))
          for (const encoded of encodingsOf(name)) {
            const answer = await read(operation, textOf(query).replace(`${name}=`, `${encoded}=`))
            const what = `${operation.interface} ${operation.path} ${encoded}=${value}`
            assert.equal(answer.status, plain.status, what)
            // Some answers tell the time, the size of the store grows meanwhile, and exports beside it are written down.
            const isSteady = stableText(again.body) === stableText(plain.body)
            if (!isSteady || stableText(answer.body) === stableText(plain.body)) continue
            const after = await read(operation, textOf(query))
            assert.equal(stableText(answer.body), stableText(after.body), what)
          }
        }
      })
    })

    test('answers that are kept by their url, and those below the front door, read encoded names too', async () => {
      const { hub, web } = world().app.urls
      const from = accepted(await world().get('/v1/events')).events[2].id
      for (const base of [hub, `${web}/hub`]) {
        for (let i = 0; i < 4; i++) {
          const response = await fetch(`${base}/v1/events?from%5Fevent%5Fid=${from}`)
          const page = (await response.json()) as Schema
          assert.equal(page.events[0].id, from)
          const casts = await fetch(`${base}/v1/castsByFid?%66id=1`)
          assert.equal(((await casts.json()) as Schema).messages.length, 4)
        }
      }
    })

    test('a repeated list has all its values, like one whose values are separated by commas', async () => {
      const parameters = operations.flatMap((operation) =>
        operation.parameters.filter(isList).map((parameter) => ({ operation, parameter })),
      )
      const found = parameters.map(({ operation: { interface: name, path }, parameter }) =>
        [name, path.replace('/v2/farcaster', ''), parameter.name].join(' '),
      )
      assert.deepEqual(found.sort(), LIST_PARAMETERS)
      await inParts(parameters, async ({ operation, parameter: { name } }) => {
        const { [name]: _, ...rest } = requiredOf(operation)
        const values = LIST_VALUES[name]!
        const others = textOf(rest)
        const ask = (query: string) => read(operation, `${query}&${others}`)
        const what = `${operation.path} ${name}`
        const joined = await ask(`${name}=${values.map(encodeURIComponent).join(',')}`)
        assert.ok(
          [200, 401, 404].includes(joined.status),
          `${what}: ${JSON.stringify(joined.body)}`,
        )
        const repeated = values.map((one) => `${name}=${encodeURIComponent(one)}`)
        assert.deepEqual(await ask(repeated.join('&')), joined, what)
        const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
        const mixed = [repeated[0]!.replace(name, camel), ...repeated.slice(1)]
        assert.deepEqual(await ask(mixed.join('&')), joined, what)
      })
      const events = async (query: string) =>
        accepted(await world().get(`/v1/events?from_event_id=0&${query}`)).events.length
      assert.ok((await events('fids=1&fids=2')) > (await events('fids=1')))
    })

    test('a stream of events takes a repeated list and encoded names like the pages', async () => {
      const first = async (query: string) => {
        const abort = new AbortController()
        const url = `${world().app.urls.hub}/v1/events/stream?${query}`
        const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(PATIENCE_MS)])
        const { status, body } = await fetch(url, { signal })
        assert.equal(status, 200)
        const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
        const ids: number[] = []
        for (let text = ''; ids.length < 3; ) {
          text += (await reader.read()).value
          ids.splice(0, ids.length, ...[...text.matchAll(/^data: \{.*?"id":(\d+)/gm)].map(idIn))
        }
        abort.abort()
        return ids.slice(0, 3)
      }
      const joined = await first('from_event_id=0&fids=1,2&event_types=MERGE_MESSAGE')
      assert.deepEqual(
        await first('from%5Fevent%5Fid=0&fids=1&fid%73=2&event_types=MERGE_MESSAGE'),
        joined,
      )
    })

    test('a trailing slash changes no answer', async () => {
      await inParts(reads, async (operation) => {
        if (operation.interface === 'web' || operation.path.endsWith('/')) return
        const query = textOf(requiredOf(operation))
        const plain = await read(operation, query)
        const slashed = await read({ ...operation, path: `${operation.path}/` }, query)
        // What changes by itself meanwhile is not compared.
        const again = await read(operation, query)
        const what = `${operation.interface} ${operation.path}/`
        assert.equal(slashed.status, plain.status, what)
        if (JSON.stringify(again.body) === JSON.stringify(plain.body)) {
          assert.deepEqual(slashed.body, plain.body, what)
        }
      })
      const { hub, web } = world().app.urls
      for (const url of [
        `${hub}/v1/info/`,
        `${web}/hub/v1/info/`,
        `${hub}/docs/`,
        `${web}/docs/`,
      ]) {
        assert.equal((await fetch(url)).status, 200, url)
      }
      assert.equal((await fetch(`${hub}/v1/nothing/`)).status, 404)
    })

    test('a compressed body is refused with 415 and a text that says why', async () => {
      const writes = operations.filter(({ json, takesOctets }) => json || takesOctets)
      assert.ok(writes.length > 60, `${writes.length} operations have a body`)
      const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }
      await inParts(writes, async (operation) => {
        for (const [coding, compress] of Object.entries(codings)) {
          const response = await fetch(urlOf(operation, textOf(requiredOf(operation))), {
            method: operation.method,
            headers: {
              ...KEY,
              'content-encoding': coding,
              'content-type': operation.json ? 'application/json' : 'application/octet-stream',
            },
            body: compress('{}'),
          })
          const text = await response.text()
          const what = `${operation.interface} ${operation.path}: ${text}`
          assert.equal(response.status, 415, what)
          assert.ok(text.includes(`content-encoding ${coding} is not supported`), what)
          assert.equal(response.headers.get('accept-encoding'), 'identity')
        }
      })
    })

    test('a page token or cursor of another list is refused by every list, and by another of the same kind', async () => {
      const tokens: { of: List; token: string; field: string }[] = []
      for (const of of LISTS) {
        const [name, path, query] = of
        const operation = operationAt(reads, name, path)
        const { size, field } = pagingOf(operation)
        const page = await read(operation, textOf({ ...query, [size]: '1' }))
        const token = positionIn(page.body)
        assert.ok(token, `${path} ${JSON.stringify(query)} has a second page: ${page.status}`)
        tokens.push({ of, token, field })
        // Its own list takes it, with another page size too.
        for (const sized of [
          { ...query, [field]: token },
          { ...query, [field]: token, [size]: '2' },
        ]) {
          const next = await read(operation, textOf(sized))
          assert.equal(next.status, 200, JSON.stringify(next.body))
          assert.notDeepEqual(withoutPosition(next.body), withoutPosition(page.body))
        }
      }
      // Accounts with a role ask what the operator asks on the operations interface.
      const isStaffs = ({ interface: name, path }: Operation) =>
        name === 'platform' && path.startsWith('/v1/moderation/')
      const lists = reads.filter((one) => one.parameters.some(isPosition) && !isStaffs(one))
      assert.ok(lists.length > 60, `${lists.length} lists have pages`)
      await inParts(lists, async (operation) => {
        const { field } = pagingOf(operation)
        for (const { of, token: position } of tokens) {
          if (isAt(operation, of)) continue
          const query = { ...requiredOf(operation), [field]: position }
          const { status, body } = await read(operation, textOf(query), token)
          const what = `${of[1]} at ${operation.path}: ${JSON.stringify(body)}`
          assert.equal(status, 400, what)
          assert.match(JSON.stringify(body), new RegExp(`${field}|ursor`), what)
        }
      })
      for (const [name, path, query] of LISTS) {
        const operation = operationAt(reads, name, path)
        for (const { of, token, field } of tokens) {
          if (of[0] !== name || of[1] !== path) continue
          const { status } = await read(operation, textOf({ ...query, [field]: token }))
          const what = `${path}: ${JSON.stringify(of[2])} at ${JSON.stringify(query)}`
          assert.equal(status, of[2] === query ? 200 : 400, what)
        }
      }
    })

    test('an empty position, undefined and null are the first page of every list, and any other text is refused', async () => {
      for (const [name, path, query] of LISTS) {
        const operation = operationAt(reads, name, path)
        const { field } = pagingOf(operation)
        const first = await read(operation, textOf(query))
        for (const none of ['', 'undefined', 'null']) {
          const answer = await read(operation, textOf({ ...query, [field]: none }))
          assert.deepEqual(answer, first, `${path} ${field}=${none}`)
        }
        for (const wrong of ['NaN', '0', 'AAAA', 'None', 'false', 'AAAAAAAAAAAA']) {
          const { status } = await read(operation, textOf({ ...query, [field]: wrong }))
          assert.equal(status, 400, `${path} ${field}=${wrong}`)
        }
      }
    })
  },
  () => ({ env: { ROOKERY_VIEWS: 'on', ROOKERY_SUBSCRIBE_LIMIT: '250' } }),
)

/** Two lists of each kind that differ in one parameter. */
const LISTS: readonly List[] = [
  ['hub', '/v1/castsByFid', { fid: '1' }],
  ['hub', '/v1/castsByFid', { fid: '2' }],
  ['hub', '/v1/linksByFid', { fid: '1' }],
  ['hub', '/v1/linksByFid', { fid: '1', link_type: 'follow' }],
  ['hub', '/v1/reactionsByFid', { fid: '1' }],
  ['hub', '/v1/userDataByFid', { fid: '1' }],
  ['hub', '/v1/fids', {}],
  ['hub', '/v1/fids', { reverse: '1' }],
  ['hub', '/v1/onChainSignersByFid', { fid: '1' }],
  ['hub', '/v1/onChainEventsByFid', { fid: '1', event_type: '1' }],
  ['accounts', '/v1/keys', { fid: '1' }],
  ['accounts', '/v1/keys', { fid: '1', reverse: '1' }],
  ['app', '/v2/farcaster/feed/user/casts', { fid: '1' }],
  ['app', '/v2/farcaster/feed/user/casts', { fid: '2' }],
  ['app', '/v2/farcaster/followers', { fid: '3' }],
  ['app', '/v2/farcaster/following', { fid: '1' }],
  ['app', '/v2/farcaster/channel/search', { q: 'bird' }],
  ['platform', '/v1/channel-followers', { channelId: 'birds' }],
  ['platform', '/v1/channel-followers', { channelId: 'birds-two' }],
  ['platform', '/v1/user-following-channels', { fid: '1' }],
  ['platform', '/v1/user-following-channels', { fid: '2' }],
  ['platform', '/v1/blocked-users', {}],
  ['platform', '/v1/blocked-users', { blockerFid: '1' }],
  ['platform', '/v2/signers', { fid: '1' }],
  ['operations', '/platform/blocks/export', {}],
]

const HASH = `0x${'ab'.repeat(20)}`

/** What operations need besides the parameters that the document requires: one of several. */
const NEEDED: Readonly<Record<string, Query>> = {
  '/v1/castsByParent': { url: 'https://a.example' },
  '/v1/reactionsByCast': { target_fid: '1', target_hash: HASH },
  '/v1/reactionsByTarget': { url: 'https://a.example' },
  '/v2/signers': { fid: '1' },
  '/v2/farcaster/feed': { feed_type: 'filter', filter_type: 'fids', fids: '1' },
}

/** Every parameter that takes several values. A new one is to be added here, and its values below. */
const LIST_PARAMETERS = [
  'app /casts casts',
  'app /channel/bulk ids',
  'app /feed fids',
  'app /feed/channels channel_ids',
  'app /feed/channels fids',
  'app /feed/parent_urls parent_urls',
  'app /frame/catalog categories',
  'app /frame/catalog networks',
  'app /frame/notification_tokens fids',
  'app /frame/relevant networks',
  'app /frame/search networks',
  'app /notifications type',
  'app /notifications/channel channel_ids',
  'app /notifications/parent_url parent_urls',
  'app /reactions/cast types',
  'app /reactions/user type',
  'app /screen/notifications type',
  'app /user/bulk fids',
  'app /user/bulk-by-address address_types',
  'app /user/bulk-by-address addresses',
  'app /user/interactions fids',
  'app /user/interactions type',
  'hub /v1/events event_types',
  'hub /v1/events fids',
  'hub /v1/events/stream event_types',
  'hub /v1/events/stream fids',
  'hub /v1/signersByFid requesterFids',
  'operations /moderation/log action',
  'operations /moderation/people fids',
  'platform /fc/primary-addresses fids',
  'platform /v1/moderation/log action',
  'platform /v1/moderation/people fids',
]

const LIST_VALUES: Readonly<Record<string, readonly string[]>> = {
  action: ['hide', 'suspend'],
  fids: ['1', '2'],
  requesterFids: ['1', '2'],
  event_types: ['MERGE_ON_CHAIN_EVENT', '1'],
  casts: [HASH, `0x${'cd'.repeat(20)}`],
  ids: ['birds', 'birds-two'],
  channel_ids: ['birds', 'birds-two'],
  parent_urls: ['https://a.example/1', 'https://a.example/2,3'],
  type: ['likes', 'recasts'],
  types: ['likes', 'recasts'],
  categories: ['games', 'social'],
  networks: ['base', 'optimism'],
  address_types: ['custody_address', 'verified_address'],
  addresses: [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`],
}

/** Returns a token of fid 1. */
async function fill(world: World): Promise<string> {
  const accounts = await world.accounts(FIDS)
  const [one, two] = accounts as [TestAccount, TestAccount]
  await world.app.ledger!.importEvents(
    [11, 12].map((fill, i) =>
      keyEvent({ fid: 1, key: bytes(32, fill) }, SignerEventType.ADD, {
        blockNumber: 5 + i,
        logIndex: 0,
      }),
    ),
  )
  const submit = async (account: TestAccount, init: Parameters<World['sign']>[1]) => {
    const message = world.sign(account, init)
    accepted(await world.submit(message))
    return message
  }
  for (const account of [one, two]) {
    const at = (seconds: number) => world.origin(account, seconds)
    for (let i = 0; i < 4; i++) {
      const { fid, hash } = await submit(account, castAdd(at(1_000 + i), `bird ${i}`))
      await submit(account, reactionAdd(at(1_000 + i), ReactionType.LIKE, { fid, hash }))
    }
    for (const target of FIDS) {
      if (target !== account.fid)
        await submit(account, linkAdd(at(1_010 + target), 'follow', target))
    }
    await submit(account, userDataAdd(at(1_000), UserDataType.USER_DATA_TYPE_BIO, 'bio'))
    await submit(
      account,
      userDataAdd(at(1_000), UserDataType.USER_DATA_TYPE_URL, 'https://a.example'),
    )
  }
  const channels = channelClient(world)
  for (const id of ['birds', 'birds-two']) {
    await channels.create(one, id)
    for (const account of [one, two]) {
      await channels.call(account, 'POST', '/fc/channel-follows', { channelId: id })
    }
  }
  for (const blockFid of [2, 3]) await channels.call(one, 'POST', '/fc/blocked-users', { blockFid })
  await channels.call(two, 'POST', '/fc/blocked-users', { blockFid: 3 })
  const newest = await world.app.storage.events.newestId()
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    const response = await fetch(`${world.app.urls.app}/v2/farcaster/feed/newest`, {
      headers: { ...KEY, 'x-rookery-after': String(newest) },
    })
    const feed = (await response.json()) as Schema
    if (response.status === 200 && feed.casts.length === 8) return world.token(one)
    assert.ok(Date.now() < end, `the views never have what was submitted: ${JSON.stringify(feed)}`)
    await sleep(50)
  }
}

const KEY = { 'x-api-key': DEVELOPMENT_KEY }
/** Numbers, words, hex and fids are not like this; a text may be. */
const REFUSED_BY_MOST = '~'

const isInQuery = (parameter: Parameter) => parameter.in === 'query'
const isList = (parameter: Parameter & { description?: string }) =>
  isInQuery(parameter) && /separated by commas/.test(parameter.description ?? '')
const isPosition = ({ name }: Parameter) => name === 'pageToken' || name === 'cursor'
const idIn = ([, id]: RegExpExecArray) => Number(id)

const operationAt = (reads: readonly Operation[], name: string, path: string): Operation => {
  const found = reads.find((one) => one.interface === name && one.path === path)
  assert.ok(found, `${name} has ${path}`)
  return found
}

const isAt = (operation: Operation, [name, path]: List) =>
  operation.interface === name && operation.path === path

const pagingOf = ({ parameters }: Operation) => {
  const field = parameters.find(isPosition)!.name
  return { field, size: field === 'pageToken' ? 'pageSize' : 'limit' }
}

const positionIn = (body: Schema): string | undefined =>
  body.nextPageToken ?? body.next?.cursor ?? body.result?.next?.cursor

const withoutPosition = (body: Schema): unknown =>
  JSON.parse(JSON.stringify(body), (key, value) =>
    key === 'nextPageToken' || key === 'next' ? undefined : value,
  )

/** A value that the schema of a parameter accepts. */
function exampleOf(parameter: Parameter): string {
  const { name, schema } = parameter
  const values = isList(parameter) ? LIST_VALUES[name] : EXAMPLES[name]
  if (values) return String(values[0])
  const one = schema.anyOf?.[0] ?? schema
  if (one.enum) return String(one.enum[0])
  if (one.type === 'boolean') return 'true'
  if (one.type === 'integer' || one.type === 'number') return String(Math.max(1, one.minimum ?? 1))
  const pattern: string = one.pattern ?? ''
  if (pattern.includes('{40}')) return `0x${'ab'.repeat(20)}`
  if (pattern.includes('{64}')) return `0x${'ab'.repeat(32)}`
  return 'birds'
}

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  latitude: ['51.5'],
  longitude: ['-0.1'],
  q: ['bird'],
  identifier: [HASH],
}

const requiredOf = ({ path, parameters }: Operation): Query => ({
  ...Object.fromEntries(
    parameters
      .filter((one) => one.required && isInQuery(one))
      .map((one) => [one.name, exampleOf(one)]),
  ),
  ...NEEDED[path],
})

const textOf = (query: Query): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

function urlOf({ url, path, parameters }: Operation, query: string): string {
  const inPath = (name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(parameter ? exampleOf(parameter) : 'x')
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => inPath(name))
  return `${url}${filled}${query === '' ? '' : `?${query}`}`
}

async function read(operation: Operation, query: string, token?: string): Promise<Read> {
  const abort = new AbortController()
  const headers = { ...KEY, ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(urlOf(operation, query), { headers, signal: abort.signal })
  if (response.headers.get('content-type') === 'text/event-stream') {
    abort.abort()
    return { status: response.status, body: undefined }
  }
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? withoutId(JSON.parse(text)) : text }
}

const withoutId = (body: Schema): Schema =>
  JSON.parse(JSON.stringify(body), (key, value) => (key === 'requestId' ? undefined : value))

/** The name with its first letter, its last letter and its underscores percent-encoded. */
const encodingsOf = (name: string): string[] => {
  const encode = (letter: string) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`
  const encodings = [
    encode(name[0]!) + name.slice(1),
    name.slice(0, -1) + encode(name.at(-1)!).toUpperCase(),
    name.replaceAll('_', '%5F'),
  ]
  return encodings.filter((one) => one !== name)
}

/** A body as text, without the size of the store, which is an estimate. */
const stableText = (body: unknown): string =>
  JSON.stringify(body ?? null).replace(/"approxSize":\d+/g, '"approxSize":0')

async function inParts<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await Promise.all(items.slice(at, at + AT_ONCE).map(work))
  }
}
