import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { createWorld, type World } from './world.ts'

// A call that needs a token says so before it says anything about parameters or a body, on every interface that has tokens.

const INTERFACES = ['platform', 'accounts', 'app', 'operations'] as const
/** A malformed escape, which every parameter refuses. */
const FAULTY = '%ff'
const NO_TOKEN = undefined
const UNKNOWN_TOKEN = 'Bearer unknown'

type Operation = {
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly { readonly name: string; readonly in: 'path' | 'query' }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>
type Call = { readonly method: string; readonly url: string; readonly body?: string }

let world: World
before(async () => {
  world = await createWorld({
    env: {
      ROOKERY_VIEWS: 'on',
      ROOKERY_OPS_TOKEN: 'an-operator-token-of-this-test-alone',
      ROOKERY_MEMBER_INVITES: '3',
    },
  })
})
after(() => world.close())

/** Calls with one fault each, of all routes that are documented as needing a token. */
async function faultyCalls(): Promise<Call[]> {
  const documents = await Promise.all(
    INTERFACES.map(async (name) => {
      const base = world.app.urls[name]
      const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as { paths: Paths }
      return Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations)
          .filter(([, operation]) => needsToken(operation))
          .flatMap(([method, operation]) => faultsOf(method, base + path, operation)),
      )
    }),
  )
  return documents.flat()
}

const needsToken = ({ security }: Operation): boolean =>
  security.length > 0 && security.every((one) => 'bearer' in one || 'basic' in one)

function faultsOf(name: string, path: string, { parameters = [], requestBody }: Operation): Call[] {
  const method = name.toUpperCase()
  const url = path.replace(/\{\w+\}/g, '1')
  const calls: Call[] = parameters
    .filter((one) => one.in === 'query')
    .map((one) => ({ method, url: `${url}?${one.name}=${FAULTY}` }))
  if (requestBody?.content['application/json']) calls.push({ method, url, body: '{' })
  return calls
}

const statusOf = async ({ method, url, body }: Call, authorization?: string): Promise<number> => {
  const headers = {
    'x-api-key': DEVELOPMENT_KEY,
    ...(authorization !== undefined && { authorization }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
  await answer.arrayBuffer()
  return answer.status
}

test('a call that needs a token asks for it before it refuses parameters or a body', async () => {
  const calls = await faultyCalls()
  assert.ok(calls.length > 100, `${calls.length} calls`)
  const others: string[] = []
  for (const call of calls) {
    for (const authorization of [NO_TOKEN, UNKNOWN_TOKEN]) {
      const status = await statusOf(call, authorization)
      if (status !== 401) others.push(`${status} for ${call.method} ${call.url}`)
    }
  }
  assert.deepEqual(others, [])
})

test('a call with a good token is told which parameter is wrong', async () => {
  const account = await world.account(1)
  const { platform, app } = world.app.urls
  const token = `Bearer ${world.token(account)}`
  const calls: Call[] = [
    { method: 'GET', url: `${platform}/fc/mini-app-notices?cursor=x` },
    { method: 'POST', url: `${platform}/v1/reports`, body: '{}' },
    { method: 'GET', url: `${app}/v2/farcaster/mute/own?limit=0` },
  ]
  for (const call of calls) assert.equal(await statusOf(call, token), 400, call.url)
})
